import Foundation

/// What the kernel reports of this process.
enum ProcessFacts {
  /// Resident memory that belongs to this process alone, in KiB.
  static var residentKiB: Int { status("RssAnon:") ?? 0 }

  /// How often threads of this process were given a processor, without those in `excluding`.
  static func runs(excluding: Set<String> = []) -> Int {
    threads.subtracting(excluding).compactMap { thread in
      text("/proc/self/task/\(thread)/schedstat")?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
    }.reduce(0, +)
  }

  /// Bytes that this process has handed to the kernel to write.
  static var written: Int {
    text("/proc/self/io")?.split(separator: "\n").first { $0.hasPrefix("wchar:") }?
      .split(separator: " ").last.flatMap { Int($0) } ?? 0
  }

  /// The calling thread's number.
  static var ownThread: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"))?
      .split(separator: "/").last.map(String.init) ?? ""
  }

  static var threads: Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [])
  }

  private static func status(_ key: String) -> Int? {
    text("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix(key) }?
      .split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
  }

  private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
