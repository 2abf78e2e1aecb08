import CDemangling
import Synchronization

/// Demangles function names in a separate process, so that a hostile name can end only that process.
final class DemanglerProcess: Sendable {
  /// The form of a demangled name.
  enum Style: UInt32 {
    /// For people: Swift without modules, C++ in full.
    case readable
    /// Swift with all modules and types.
    case full
  }

  /// The result of demangling a name.
  struct Answer: Sendable {
    /// The name in source form; nil where it has none, or where demangling it exceeds a bound.
    var text: String?
    /// Whether the function is glue that the compiler made around another function.
    var isThunk: Bool
  }

  /// The instance that all readers in this process share.
  static let shared = DemanglerProcess()

  /// The longest name and the longest text, in bytes. Longer names stay mangled: nobody could read them.
  static let longestName = 16_384
  private static let limits = stallwatch_demangler_limits(
    memory: 256 << 20, processor_milliseconds: 500, patience_seconds: 10, longest: UInt32(longestName))
  /// After this many names that exceeded a bound all names stay mangled: each may cost half a second.
  private static let mostRefused = 8

  private struct State {
    var process: stallwatch_demangler?
    /// The names that exceeded a bound.
    var refused: Set<String> = []
    var largestMemory: UInt64 = 0
  }

  private let state = Mutex(State())

  deinit {
    state.withLock { state in
      if var process = state.process { _ = stallwatch_demangler_end(&process) }
    }
  }

  /// Demangles `rawName`.
  func answer(_ rawName: String, _ style: Style) -> Answer {
    let unknown = Answer(isThunk: false)
    guard Self.isMangled(rawName), rawName.utf8.count <= Self.longestName else { return unknown }
    return state.withLock { state in Self.ask(rawName, style, of: &state) ?? unknown }
  }

  /// The most resident memory of an ended process, in bytes; 0 while none has ended.
  var largestMemory: UInt64 { state.withLock(\.largestMemory) }

  /// The ID of the running process; nil where none runs.
  var process: Int32? { state.withLock { $0.process?.process } }

  /// The number of names that exceeded a bound.
  var refused: Int { state.withLock(\.refused.count) }

  /// Whether a demangler knows this kind of name: Swift's or C++'s.
  private static func isMangled(_ rawName: String) -> Bool {
    ["$s", "_$s", "$S", "_$S", "$e", "_$e", "_T", "@__swiftmacro_", "_Z", "__Z"].contains(where: rawName.hasPrefix)
  }

  /// Asks the running process, and a new one if that fails: age or the system may have ended the first.
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

  /// Asks the running process. Ends it and returns nil where it gives no answer.
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
