import CDemangling
import Synchronization

/// Gives functions' names their source form in a process of its own, which a hostile name can end but this one not.
final class DemanglerProcess: Sendable {
  /// How a name is written.
  enum Style: UInt32 {
    /// As a person reads it: Swift without modules, C++ in full.
    case readable
    /// Swift with all modules and types.
    case full
  }

  /// What a name came to.
  struct Answer: Sendable {
    /// The name in source form; nil where it has none, or none that is known within the bounds.
    var text: String?
    /// Whether the function is glue that the compiler made around another function.
    var isThunk: Bool
  }

  /// The one that all readers of this process share.
  static let shared = DemanglerProcess()

  /// Longer names are left as they are, and so are those whose text would be longer: a name is there to be read.
  static let longestName = 16_384
  private static let limits = stallwatch_demangler_limits(
    memory: 256 << 20, processor_milliseconds: 500, patience_seconds: 10, longest: UInt32(longestName))
  /// After so many names that went beyond a bound all are left as they are: each may cost half a second.
  private static let mostRefused = 8

  private struct State {
    var process: stallwatch_demangler?
    /// The names that went beyond a bound.
    var refused: Set<String> = []
    var largestMemory: UInt64 = 0
  }

  private let state = Mutex(State())

  deinit {
    state.withLock { state in
      if var process = state.process { _ = stallwatch_demangler_end(&process) }
    }
  }

  /// The source form of `rawName`.
  func answer(_ rawName: String, _ style: Style) -> Answer {
    let unknown = Answer(isThunk: false)
    guard Self.isMangled(rawName), rawName.utf8.count <= Self.longestName else { return unknown }
    return state.withLock { state in Self.ask(rawName, style, of: &state) ?? unknown }
  }

  /// The most memory that an ended process had resident, in bytes; 0 while none has ended.
  var largestMemory: UInt64 { state.withLock(\.largestMemory) }

  /// The process that works now; nil where there is none.
  var process: Int32? { state.withLock { $0.process?.process } }

  /// How many names went beyond a bound.
  var refused: Int { state.withLock(\.refused.count) }

  /// Whether a demangler knows names of that kind: Swift's, or C++'s.
  private static func isMangled(_ rawName: String) -> Bool {
    ["$s", "_$s", "$S", "_$S", "$e", "_$e", "_T", "@__swiftmacro_", "_Z", "__Z"].contains(where: rawName.hasPrefix)
  }

  /// The answer of a process that is there, or else of a new one: what ended the first may have been its age, or the system.
  private static func ask(_ rawName: String, _ style: Style, of state: inout State) -> Answer? {
    guard state.refused.count < mostRefused, !state.refused.contains(rawName) else { return nil }
    if state.process != nil, let answer = askOnce(rawName, style, of: &state) { return answer }
    var process = stallwatch_demangler()
    guard stallwatch_demangler_start(&process, limits) == 0 else { return nil }
    state.process = process
    let answer = askOnce(rawName, style, of: &state)
    if answer == nil { state.refused.insert(rawName) }
    return answer
  }

  /// The answer of the process that is there; nil where it gave none, and was ended.
  private static func askOnce(_ rawName: String, _ style: Style, of state: inout State) -> Answer? {
    guard var process = state.process else { return nil }
    var name = rawName
    var found = stallwatch_demangled()
    var isAnswered = false
    let text = String(unsafeUninitializedCapacity: longestName) { buffer in
      isAnswered =
        name.withUTF8 { bytes in
          stallwatch_demangler_ask(
            &process, style.rawValue, bytes.baseAddress, UInt32(bytes.count), buffer.baseAddress, &found)
        } == 0
      return isAnswered ? Int(found.length) : 0
    }
    guard isAnswered else {
      state.largestMemory = max(state.largestMemory, stallwatch_demangler_end(&process))
      state.process = nil
      return nil
    }
    return Answer(text: text.isEmpty || text == rawName ? nil : text, isThunk: found.is_thunk != 0)
  }
}
