import StallwatchLibc

/// Finds the libraries that the dynamic loader would load for a program, by its rules (`ld.so(8)`), without running it.
package struct LibrarySearch: Sendable {
  /// The most libraries followed; the largest desktop programs load some hundreds.
  private static let mostLibraries = 1_024

  /// The directories of `LD_LIBRARY_PATH`.
  package var environmentPath: [String]
  /// The directories in which the loader looks last.
  package var systemDirectories: [String]

  /// A search in the loader's own directories and those of `LD_LIBRARY_PATH`.
  ///
  /// - Parameter libraryPath: the value of `LD_LIBRARY_PATH`; nil where it is not set.
  package init(libraryPath: String?) {
    environmentPath = (libraryPath ?? "").split(whereSeparator: { $0 == ":" || $0 == ";" }).map(String.init)
    systemDirectories = Self.directoriesOfLoader()
  }

  /// The libraries that a program loads.
  package struct Closure: Sendable {
    /// The paths of libraries that were found, by requested name.
    package var found: [String: String] = [:]
    /// Requested names that were not found. With any of these, the program may load libraries that are not listed here.
    package var missing: Set<String> = []
  }

  /// All libraries that the ELF file at `path` loads, directly or through others.
  package func closure(of image: ElfImage, at path: String) -> Closure {
    var closure = Closure()
    var waiting = [(image: image, path: path)]
    while let next = waiting.popLast() {
      for name in next.image.libraries where closure.found[name] == nil && !closure.missing.contains(name) {
        guard closure.found.count + closure.missing.count < Self.mostLibraries else { return closure }
        guard let (library, path) = find(name, for: next.image, at: next.path) else {
          closure.missing.insert(name)
          continue
        }
        closure.found[name] = path
        waiting.append((library, path))
      }
    }
    return closure
  }

  private func find(_ name: String, for image: ElfImage, at path: String) -> (ElfImage, String)? {
    let origin = String(
      (realPath(path) ?? path).split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    )
    let candidates: [String]
    if name.contains("/") {
      candidates = [expanded(name, origin: origin)]
    } else {
      let own = image.rPath + environmentPath + image.runPath
      candidates = (own + systemDirectories).map { "\(expanded($0, origin: origin))/\(name)" }
    }
    for candidate in candidates {
      if let library = ElfImage(path: candidate), library.machine == image.machine { return (library, candidate) }
    }
    return nil
  }

  private func expanded(_ text: String, origin: String) -> String {
    // Leave a path with many `$` alone: each could expand to a whole path.
    guard text.utf8.count(where: { $0 == UInt8(ascii: "$") }) < 8 else { return text }
    return text.replacing("${ORIGIN}", with: origin).replacing("$ORIGIN", with: origin)
  }

  /// The directories in /etc/ld.so.conf and its parts, then the loader's built-in ones.
  private static func directoriesOfLoader() -> [String] {
    let builtIn = ["/lib", "/usr/lib", "/lib64", "/usr/lib64"]
    var directories: [String] = []
    let parts = namesIn("/etc/ld.so.conf.d").filter { $0.hasSuffix(".conf") }.sorted().map { "/etc/ld.so.conf.d/\($0)" }
    for part in ["/etc/ld.so.conf"] + parts {
      guard let file = BinaryFile(path: part), let content = file.bytes(at: 0, count: min(file.size, 65_536)) else {
        continue
      }
      for line in String(decoding: content.bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
        let directory = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
        if directory.hasPrefix("/") { directories.append(String(directory)) }
      }
    }
    return directories + builtIn
  }

  private static func namesIn(_ directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      names.append(name)
    }
    return names
  }
}
