#if os(Linux)
  /// The CPU time that control groups leave to this process.
  enum CPULimit {
    /// The limit in cores; nil where there is none.
    static func ofThisProcess() -> Double? {
      guard let groups = SystemFile.text("/proc/self/cgroup") else { return nil }
      return groups.split(separator: "\n").compactMap { limit(line: $0) }.min()
    }

    /// The limit on one line of /proc/self/cgroup, `ID:CONTROLLERS:PATH`. ID 0 means version 2.
    private static func limit(line: Substring) -> Double? {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return nil }
      let controllers = fields[1].split(separator: ",")
      if fields[0] == "0" { return ancestors(fields[2]).compactMap(version2).min() }
      return controllers.contains("cpu") ? ancestors(fields[2]).compactMap(version1).min() : nil
    }

    /// The group and all groups above it, because each may have a limit.
    private static func ancestors(_ path: Substring) -> [String] {
      var paths = [""]
      for part in path.split(separator: "/") { paths.append("\(paths.last!)/\(part)") }
      return paths
    }

    /// `cpu.max` holds quota and period in microseconds. The quota `max` means no limit.
    private static func version2(_ group: String) -> Double? {
      let fields = SystemFile.text("/sys/fs/cgroup\(group)/cpu.max")?.split(separator: " ") ?? []
      guard fields.count == 2 else { return nil }
      return cores(quota: Double(fields[0]), period: Double(fields[1]))
    }

    /// The quota -1 means no limit.
    private static func version1(_ group: String) -> Double? {
      let file = { (name: String) in SystemFile.text("/sys/fs/cgroup/cpu\(group)/\(name)").flatMap(Double.init) }
      return cores(quota: file("cpu.cfs_quota_us"), period: file("cpu.cfs_period_us"))
    }

    private static func cores(quota: Double?, period: Double?) -> Double? {
      guard let quota, let period, quota > 0, period > 0 else { return nil }
      return quota / period
    }
  }
#endif
