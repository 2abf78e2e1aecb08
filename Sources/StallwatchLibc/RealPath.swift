/// The path with symbolic links resolved (realpath(3)); nil where nothing exists there, with the reason in `errno`.
package func realPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}
