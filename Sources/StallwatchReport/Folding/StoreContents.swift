import StallwatchCore
import StallwatchStore

/// The input of a report. A store's reader provides it; tests build their own.
package protocol StoreContents {
  /// What of the store they are; nil for all of it.
  var selection: Selection? { get }
  /// All sessions, oldest first.
  func sessions() throws -> [StoredSession]
  /// The loops of a session, in the order in which the monitor saw them.
  func loops(session: Int64) throws -> [StoredLoop]
  /// The modes of a loop with their profiles.
  func modes(loop: Int64) throws -> [StoredMode]
  /// The rows and names of a loop's modes.
  func modeNames(loop: Int64) throws -> [(Int64, String)]
  /// Calls `body` for every window of time of a session, with its cells if asked for.
  func forEachWindow(session: Int64, withCells: Bool, _ body: (StoredWindow) throws -> Void) throws
  /// The number of stalls of each sort.
  func stallTotals() throws -> [StallTotal]
  /// The longest stalls, longest first, without cancelled ones.
  func worstStalls(limit: Int) throws -> [StoredStall]
  /// The unfinished stalls: those that go on, and those in which the process died.
  func openStalls() throws -> [StoredStall]
  /// The last stalls that were reported, the latest first, including cancelled ones.
  func lastStalls(limit: Int) throws -> [StoredStall]
  /// Calls `body` for every stall in the order of their start.
  func forEachStall(_ body: (StoredStall) throws -> Void) throws
  /// Calls `body` for every stall of one session in the order of their start.
  func forEachStall(session: Int64, _ body: (StoredStall) throws -> Void) throws
  /// The stall in this row; nil when there is none.
  func stall(id: Int64) throws -> StoredStall?
  /// The samples of the stall in this row, in time order.
  func samples(stall: Int64) throws -> [StackSample]
  /// Calls `body` for every sampled stall with all its samples, in the order of their start.
  func forEachSampledStall(_ body: (StoredStall, [StackSample]) throws -> Void) throws
  /// The same with less of each stall and sample, for sums over all of them.
  func forEachBriefStall(_ body: (BriefStall, [BriefSample]) throws -> Void) throws
  /// The frames of the stack in this row, leaf first.
  func frames(stack: Int64) throws -> [UInt64]
  /// Calls `body` for the time in which each stall of a session, without congestion and cancelled ones, held its loop.
  func forEachHold(session: Int64, _ body: (_ loop: Int64, _ startedNs: Nanoseconds, Nanoseconds) throws -> Void) throws
  /// The images of a session's process.
  func images(session: Int64) throws -> [ImageRecord]
  /// What is known of the addresses of images with this build-id.
  func names(buildID: String) throws -> ImageNames
  /// The stacks sampled while the loop in this row was busy.
  func profile(loop: Int64) throws -> [ProfiledStack]
  /// Calls `body` for every timer of a session.
  func forEachTimer(session: Int64, _ body: (StoredTimer) throws -> Void) throws
  /// The same, without the modes and stalls that hurt the timers.
  func forEachTimerLedger(session: Int64, _ body: (StoredTimer) throws -> Void) throws
  /// Calls `body` for every window of a session in which a timer dropped due times or came later than allowed, with the
  /// row of the timer, in time order.
  func forEachTimerWindow(session: Int64, _ body: (_ timer: Int64, TimerWindow) throws -> Void) throws
  /// The timer in this row; nil when there is none.
  func timer(id: Int64) throws -> TimerRecord?
  /// The timers that the stall in this row hurt.
  func timers(stall: Int64) throws -> [StoredStallTimer]
  /// Calls `body` for every tick of the drift probe that has a row of its own, in time order for each loop.
  func forEachTick(session: Int64, _ body: (StoredTick) throws -> Void) throws
  /// Calls `body` for every window of ticks of a session, with the row of the loop, in time order.
  func forEachTickWindow(session: Int64, _ body: (_ loop: Int64, TickWindow) throws -> Void) throws
  /// A session's monitor cost, losses and intervals.
  func health(session: Int64) throws -> StoredHealth
  /// What was removed to keep to the store's limits.
  func removals() throws -> [Removed]
}

extension StoreContents {
  /// All of a store.
  package var selection: Selection? { nil }
  /// Nothing, where contents are not a store's.
  package func removals() throws -> [Removed] { [] }
  /// Nothing, where contents are not a store's.
  package func names(buildID: String) throws -> ImageNames { ImageNames() }
}

extension StoreReader: StoreContents {
  package var selection: Selection? { Selection(filter) }
}
