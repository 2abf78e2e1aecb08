import StallwatchLibc

/// The live regions beside a store, as files.
enum LiveRegions {
  /// The sessions that have one, whoever wrote it.
  static func sessions(besides store: String) -> [Int64] {
    let slash = store.lastIndex(of: "/")
    let folder = slash.map { $0 == store.startIndex ? "/" : String(store[..<$0]) } ?? "."
    let prefix = LiveRegion.prefix(slash.map { String(store[store.index(after: $0)...]) } ?? store)
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var sessions: [Int64] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      guard name.hasPrefix(prefix), let session = Int64(name.dropFirst(prefix.count)), session > 0 else { continue }
      sessions.append(session)
    }
    return sessions
  }

  /// What they hold, nil where that cannot be read. For a reader, before it fixes its view of the store: what a closing brings in meanwhile is then in
  /// the store, and never in neither.
  static func contents(besides store: String) -> [Int64: LiveRegionFile?] {
    let files = sessions(besides: store).map { ($0, LiveRegionFile(path: LiveRegion.path(of: $0, store: store))) }
    return Dictionary(files, uniquingKeysWith: { first, _ in first })
  }
}
