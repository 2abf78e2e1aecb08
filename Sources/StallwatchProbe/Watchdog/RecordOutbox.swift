import StallwatchCore
import StallwatchLibc

/// Hands records to the recorder, in their order, and offers again what found no room. Used on the watchdog's thread
/// only.
final class RecordOutbox {
  private let recorder: any Recorder
  private let annotations: @Sendable () -> [String: String]
  private var lastStall: UInt64 = 0
  /// Records that the recorder had no room for; offered again before new figures are read.
  private var refused: [Record] = []
  /// How many records found no room here either, since this was last reported.
  private var lost: UInt64 = 0

  /// The most records kept for a recorder without room: enough for the loops that end at one time, or twice the most
  /// timers. Further records are lost, and counted.
  private static let mostRefused = 8_192
  /// How long to offer the last records: half of what stopping waits for this thread.
  private static let lastOffers = 1 * Nanoseconds.second
  private static let lastPauseMicroseconds: UInt32 = 1_000

  init(recorder: any Recorder, annotations: @escaping @Sendable () -> [String: String]) {
    self.recorder = recorder
    self.annotations = annotations
  }

  /// Hands a record to the recorder. If that has no room, keeps a record that is offered again for later.
  func hand(_ record: Record) {
    // Refused figures block the records after them, because a loop's end must come after its figures.
    if refused.isEmpty || !record.isOfferedAgain, recorder.take(record) { return }
    guard record.isOfferedAgain else { return }
    if refused.count < Self.mostRefused { return refused.append(record) }
    lost = lost.saturatingAdd(1)
  }

  /// Whether records wait for room.
  var hasRefused: Bool { !refused.isEmpty }

  /// Offers what waits for room.
  func offerAgain() {
    let again = refused
    refused = []
    for record in again { hand(record) }
  }

  /// Offers what waits until there is room or time is over, because nobody does so later.
  func offerLast() {
    let end = Platform.now() + Self.lastOffers
    while hasRefused, Platform.now() < end {
      usleep(Self.lastPauseMicroseconds)
      offerAgain()
    }
    (lost, refused) = (lost.saturatingAdd(UInt64(refused.count)), [])
  }

  /// Hands on `losses`, and how many records were lost here.
  func report(_ losses: [LossRecord]) {
    for loss in losses { hand(.loss(loss)) }
    guard lost > 0, !hasRefused else { return }
    let count = lost
    lost = 0
    hand(.loss(LossRecord(what: "records", loop: nil, count: count)))
  }

  /// Hands on that a loop was unobserved.
  func reportUnobserved(
    _ loop: LoopID, from start: Nanoseconds, to end: Nanoseconds, for duration: Nanoseconds
  ) {
    hand(
      .interval(
        IntervalRecord(
          kind: .blind, loop: loop, startedNs: start, endedNs: end, duration: duration, reason: "new-mode")))
  }

  /// The ID of the next stall.
  func numberStall() -> StallID {
    lastStall += 1
    return StallID(rawValue: lastStall)
  }

  /// What the program has annotated, for a stall that begins now.
  func annotationsNow() -> [String: String] { annotations() }
}
