import StallwatchCore
import StallwatchStore

/// The stores that `ship` follows: which of them have something new, and which could not be read.
struct StoreLook {
  /// What is known of a store.
  private struct Known {
    /// The state of its files just before it was last read to its end.
    var state: StoreState?
    /// Whether one of its sessions is running: where the process is killed, it ends without a change of the file.
    var isRunning = false
    var sessions = 0
    /// Why it could not be read.
    var fault: String?
  }

  private var known: [String: Known] = [:]

  /// Forgets the stores that are not there any more.
  mutating func keep(_ paths: [String]) {
    let paths = Set(paths)
    known = known.filter { paths.contains($0.key) }
  }

  /// Whether the store at `path`, whose files are now in this state, may have something new.
  func isWorthReading(_ path: String, _ state: StoreState?) -> Bool {
    guard let known = known[path], known.fault == nil, let before = known.state else { return true }
    return known.isRunning || before != state
  }

  /// Notes that the store was read to its end.
  mutating func noteRead(_ path: String, _ state: StoreState?, _ sessions: [ShippingSession]) {
    known[path] = Known(
      state: state, isRunning: sessions.contains { $0.isRunning }, sessions: sessions.count)
  }

  /// Notes that it could not be read. Returns whether that is news.
  mutating func noteFault(_ path: String, _ fault: String) -> Bool {
    defer { known[path, default: Known()].fault = fault }
    return known[path]?.fault != fault
  }

  /// How many stores could be read and how many could not, and how many sessions they have.
  var counts: (stores: Int, unreadable: Int, sessions: Int) {
    let unreadable = known.values.count { $0.fault != nil }
    return (known.count - unreadable, unreadable, known.values.reduce(0) { $0 + $1.sessions })
  }
}
