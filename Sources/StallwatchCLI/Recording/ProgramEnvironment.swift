import StallwatchCore

/// The environment of a recorded program: this process's own, the preloaded library, and the monitor's variables.
struct ProgramEnvironment {
  /// The entries, as `NAME=value`.
  private(set) var entries: [CString]

  #if canImport(Darwin)
    private static let preloadVariable = "DYLD_INSERT_LIBRARIES"
  #else
    private static let preloadVariable = "LD_PRELOAD"
  #endif

  /// Starts from these entries.
  init(_ entries: [CString] = CString.environment()) { self.entries = entries }

  /// The value of a variable; nil where it is not set. Like `getenv`, takes the first of several entries.
  subscript(name: String) -> String? {
    let start = Array("\(name)=".utf8)
    return entries.first { $0.bytes.starts(with: start) }
      .map { String(decoding: $0.bytes.dropFirst(start.count), as: UTF8.self) }
  }

  /// Sets a variable for the monitor.
  mutating func set(_ variable: MonitorVariable, to value: String) { set(variable.rawValue, to: CString(value)) }

  /// Puts `library` before other preloaded libraries.
  mutating func preload(_ library: String) {
    let start = Array("\(Self.preloadVariable)=".utf8)
    let others = entries.first { $0.bytes.starts(with: start) }.map { Array($0.bytes.dropFirst(start.count)) } ?? []
    var value = CString(library)
    if others == value.bytes { return }
    if !others.isEmpty { value.bytes += [UInt8(ascii: ":")] + others }
    set(Self.preloadVariable, to: value)
  }

  private mutating func set(_ name: String, to value: CString) {
    let start = Array("\(name)=".utf8)
    entries.removeAll { $0.bytes.starts(with: start) }
    var entry = value
    entry.bytes.insert(contentsOf: start, at: 0)
    entries.append(entry)
  }
}
