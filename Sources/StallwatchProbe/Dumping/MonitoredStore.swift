#if os(Linux)
  import StallwatchLibc

  /// Finds the store to which a monitor in another process records.
  enum MonitoredStore {
    /// The thread that writes it, which has a table of descriptors of its own.
    private static let writer = "stallwatch-stor"
    /// What the name of a live region adds to its store's, before the session's number.
    private static let regionMark = "-live-"

    /// The path of the store whose live region the process's writer has open; nil without one.
    static func path(of threads: [UInt64], in folder: ProcessFolder) -> String? {
      for thread in threads where folder.text("task/\(thread)/comm") == writer {
        for descriptor in folder.names("task/\(thread)/fd") {
          guard let path = folder.link("task/\(thread)/fd/\(descriptor)"), path.hasPrefix("/"),
            let mark = path.ranges(of: regionMark).last, !path[mark.upperBound...].isEmpty,
            path[mark.upperBound...].allSatisfy(\.isNumber)
          else { continue }
          return String(path[..<mark.lowerBound])
        }
      }
      return nil
    }
  }
#endif
