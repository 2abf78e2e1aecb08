import StallwatchCore
import StallwatchStore

/// What a report is built from. A store's reader is one; a test builds its own by hand.
public protocol StoreContents {
  /// All sessions, oldest first.
  func sessions() throws -> [StoredSession]
  /// The loops of a session, in the order in which they were seen.
  func loops(session: Int64) throws -> [StoredLoop]
  /// The modes of a loop with their profiles.
  func modes(loop: Int64) throws -> [StoredMode]
  /// The names of a loop's modes by their rows.
  func modeNames(loop: Int64) throws -> [(Int64, String)]
  /// The length of the windows that a session's profiles are kept in; nil where that is not known.
  func windowLength(session: Int64) throws -> Nanoseconds?
  /// Calls `body` for every window of every metric of the loop in that row.
  func forEachWindow(loop: Int64, _ body: (StoredWindow) throws -> Void) throws
  /// How many stalls there are of each sort.
  func stallTotals() throws -> [StallTotal]
  /// The longest stalls, longest first, without cancelled ones.
  func worstStalls(limit: Int) throws -> [StoredStall]
  /// Stalls that are not over, and those that the process died in.
  func openStalls() throws -> [StoredStall]
  /// The last stalls that were told of, the last first.
  func lastStalls(limit: Int) throws -> [StoredStall]
  /// Calls `body` for every stall in the order of their start.
  func forEachStall(_ body: (StoredStall) throws -> Void) throws
  /// The same for the stalls of one session.
  func forEachStall(session: Int64, _ body: (StoredStall) throws -> Void) throws
  /// The stall in that row; nil when there is none.
  func stall(id: Int64) throws -> StoredStall?
  /// The samples of the stall in that row, in the order of time.
  func samples(stall: Int64) throws -> [StackSample]
  /// Calls `body` for every stall that was sampled and all its samples, in the order of their start.
  func forEachSampledStall(_ body: (StoredStall, [StackSample]) throws -> Void) throws
  /// The images of a session's process.
  func images(session: Int64) throws -> [ImageRecord]
  /// The stacks that were seen while the loop in that row was busy.
  func profile(loop: Int64) throws -> [ProfiledStack]
  /// Calls `body` for every timer of a session.
  func forEachTimer(session: Int64, _ body: (StoredTimer) throws -> Void) throws
  /// The same without the modes and stalls that hurt them.
  func forEachTimerLedger(session: Int64, _ body: (StoredTimer) throws -> Void) throws
  /// What the timer in that row is; nil when there is none.
  func timer(id: Int64) throws -> TimerRecord?
  /// The timers that the stall in that row hurt.
  func timers(stall: Int64) throws -> [StoredStallTimer]
  /// Calls `body` for every tick of the drift probe on the loop in that row, in the order of time.
  func forEachDriftTick(loop: Int64, _ body: (DriftTick) throws -> Void) throws
  /// A session's cost, losses and intervals.
  func health(session: Int64) throws -> StoredHealth
}

extension StoreReader: StoreContents {}
