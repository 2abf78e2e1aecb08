/// Reads one timer's board, and computes how it grew since the last reading. For the watchdog's thread.
package struct TimerReader {
  /// The ledger's entry to which the growth belongs.
  package var timer: TimerID
  private let board: TimerBoard
  private var read: [UInt64]
  private var buckets = BucketReader()
  private var hasEnded = false

  /// A reader of `board`, which must be zeroed, for `timer`.
  package init(timer: TimerID, board: TimerBoard) {
    self.timer = timer
    self.board = board
    read = [UInt64](repeating: 0, count: TimerBoard.Word.count)
  }

  /// The growth since the last call; nil when there is none. The caller knows the first `modes` of the loop's modes;
  /// fires dropped in a later mode wait until the caller knows that one too.
  package mutating func delta(at now: Nanoseconds, modes: Int) -> TimerDelta? {
    var delta = TimerDelta(timer: timer, atNs: now)
    // Read before the counters: an end that is seen is the last word.
    let ended = board.endedNs
    delta.lateness = lateness()
    delta.fired = growth(TimerBoard.Word.fired)
    // The parts before the whole, so that a part never exceeds it.
    let explained = board.words.acquire(TimerBoard.Word.explained)
    if explained != read[TimerBoard.Word.explained] {
      delta.droppedOutside = growth(TimerBoard.Word.droppedOutside)
      let words = (0..<TimerBoard.modeCount).map { TimerBoard.Word.droppedByMode + $0 }
      for (mode, word) in words.prefix(modes).enumerated() {
        let count = growth(word)
        if count > 0 { delta.droppedByMode.append((mode, count)) }
      }
      let isComplete = words.dropFirst(modes).allSatisfy { board.words.acquire($0) == read[$0] }
      if isComplete { read[TimerBoard.Word.explained] = explained }
    }
    delta.dropped = growth(TimerBoard.Word.dropped)
    delta.coalesced = growth(TimerBoard.Word.coalesced)
    delta.rearmed = growth(TimerBoard.Word.rearmed)
    delta.intervalChanges = growth(TimerBoard.Word.intervalChanges)
    delta.calloutTotal = growth(TimerBoard.Word.calloutTotal)
    delta.calloutMaximum = board.words.load(TimerBoard.Word.calloutMaximum)
    let worstAt = board.words.load(TimerBoard.Word.worstAt)
    if worstAt != 0 { delta.worst = (board.words.load(TimerBoard.Word.latenessMaximum), worstAt) }
    if let ended, !hasEnded {
      hasEnded = true
      delta.endedNs = ended
    }
    let grew =
      delta.lateness != nil || delta.endedNs != nil || !delta.droppedByMode.isEmpty
      || [
        delta.fired, delta.dropped, delta.droppedOutside, delta.coalesced, delta.rearmed, delta.intervalChanges,
        delta.calloutTotal,
      ].contains { $0 != 0 }
    return grew ? delta : nil
  }

  private mutating func growth(_ word: Int) -> UInt64 {
    let now = board.words.acquire(word)
    defer { read[word] = now }
    return now &- read[word]
  }

  private mutating func lateness() -> MetricDelta? {
    let samples = growth(TimerBoard.Word.latenessCount)
    guard samples > 0 else { return nil }
    let grown = buckets.growth(of: board.lateness, samples: samples)
    return MetricDelta(
      metric: .span, count: grown.reduce(0) { $0 + UInt64($1.count) }, total: growth(TimerBoard.Word.latenessTotal),
      maximum: board.words.load(TimerBoard.Word.latenessMaximum), buckets: grown)
  }
}
