/// Tracks one loop's aways: time outside any run, of at least the threshold, while work was due. Pure: callers pass
/// every time in. For the watchdog's thread.
///
/// An away begins when the first work is due, or when the thread leaves its loop if that is later. It ends when the
/// thread runs its loop again, when no work is due any more, or with the process. A stay outside that the watchdog did
/// not look at is an away, too, if it makes a timer late.
package struct AwayTracker {
  /// A stay outside any run while work is due.
  private struct Stay {
    var leftNs: Nanoseconds
    var mode: Int
    var sinceNs: Nanoseconds
    var due: DueWork
    /// When a look last found work due.
    var lastDueNs: Nanoseconds
  }

  /// A stay outside that is over, and in which no look found work due.
  private struct UnseenStay {
    /// When the thread left, or when a look last found no work due if that is later.
    var sinceNs: Nanoseconds
    var endNs: Nanoseconds
    var mode: Int
  }

  /// A late callout whose stay is yet to be taken: it was read after the loop's spells were.
  private struct LateCallout {
    var dueNs: Nanoseconds
    var firedNs: Nanoseconds
    /// The modes of its timer, a bit for each by its place.
    var modes: UInt64

    /// Whether the stay made it late: it was due before the stay's end, and fired after it.
    func wasLate(by unseen: UnseenStay) -> Bool {
      dueNs < unseen.endNs && unseen.sinceNs < firedNs && modes & 1 << UInt64(unseen.mode) != 0
    }
  }

  /// How many unseen stays are remembered, and how many late callouts: a late callout is read one flush after its stay
  /// at most, and in that time there is room for so many of the default threshold.
  private static let mostUnseen = 5

  private let loop: LoopID
  private let threshold: Nanoseconds
  private var stay: Stay?
  private var unseen: [UnseenStay] = []
  private var late: [LateCallout] = []
  /// The away that is going on, as far as known.
  package private(set) var current: StallBegan?
  /// Every stay that began before is over, even if a look at the loop, taken earlier, still shows it.
  private var overUntil: Nanoseconds = 0
  /// When a look last found no work due: a timer made with a past due time was not due before the program made it.
  private var idleNs: Nanoseconds = 0

  /// A tracker for `loop`; `threshold` in nanoseconds.
  package init(loop: LoopID, threshold: Nanoseconds) {
    self.loop = loop
    self.threshold = threshold
  }

  /// Since when work has been due in the stay that goes on; nil: none is due.
  package var sinceNs: Nanoseconds? { stay?.sinceNs }

  /// When this stay becomes an away; nil: no work is due, or it has become one.
  package func deadline(excluding exclusions: Exclusions, at now: Nanoseconds) -> Nanoseconds? {
    guard current == nil, let stay else { return nil }
    return stay.sinceNs + threshold + exclusions.overlap(from: stay.sinceNs, to: now)
  }

  /// Takes a look at a loop whose thread left a run in `mode` at `leftNs` and has been outside since; `due` is the work
  /// due now. Returns the beginning of an away, or its end if no work is due any more.
  package mutating func look(
    leftNs: Nanoseconds, mode: Int, due: DueWork?, excluding exclusions: Exclusions, now: Nanoseconds,
    number: () -> StallID, annotations: () -> [String: String]
  ) -> Record? {
    guard leftNs >= overUntil else { return nil }
    guard let due else {
      idleNs = now
      return lose(excluding: exclusions)
    }
    let known = stay.flatMap { $0.leftNs == leftNs ? $0 : nil }
    stay = Stay(
      leftNs: leftNs, mode: mode, sinceNs: known?.sinceNs ?? max(due.sinceNs, leftNs, idleNs),
      due: known.map { due.with($0.due) } ?? due, lastDueNs: now)
    guard let deadline = deadline(excluding: exclusions, at: now), now >= deadline else { return nil }
    return begin(at: now, number, annotations).map(Record.stallBegan)
  }

  /// Takes a spell of the loop's thread, without excluded time: the exact end of a stay outside, also of one that ended
  /// before the watchdog knew it as an away; or a run in a mode not yet observed, whose beginning is unknown.
  package mutating func take(
    _ spell: LongSpell, excluding exclusions: Exclusions, now: Nanoseconds, number: () -> StallID,
    annotations: () -> [String: String]
  ) -> [Record] {
    guard spell.kind == .outside || spell.kind == .blind, spell.end > overUntil else { return [] }
    overUntil = spell.end
    guard let stay, spell.start <= stay.leftNs, stay.leftNs < spell.end else {
      if spell.kind == .outside {
        let stay = UnseenStay(sinceNs: max(spell.start, idleNs), endNs: spell.end, mode: Int(spell.mode))
        if let place = late.firstIndex(where: { $0.wasLate(by: stay) }) {
          return end(stay, dueNs: late.remove(at: place).dueNs, excluding: exclusions, now: now, number, annotations)
        }
        if unseen.count == Self.mostUnseen { unseen.removeFirst() }
        unseen.append(stay)
      }
      return []
    }
    guard spell.kind == .outside else {
      return cancel(reason: "the loop ran in a mode not yet observed", at: spell.end).map { [$0] } ?? []
    }
    return finish(at: spell.end, excluding: exclusions, now: now, number, annotations)
  }

  /// Takes a callout at `firedNs` of the loop's timer, which was due since `dueNs` and is in `modes` (a bit for each by
  /// its place): a stay that is over may have made it late. Returns that stay's beginning and end.
  package mutating func take(
    late dueNs: Nanoseconds, firedNs: Nanoseconds, modes: UInt64, excluding exclusions: Exclusions, now: Nanoseconds,
    number: () -> StallID, annotations: () -> [String: String]
  ) -> [Record] {
    let callout = LateCallout(dueNs: dueNs, firedNs: firedNs, modes: modes)
    guard let place = unseen.firstIndex(where: callout.wasLate) else {
      if late.count == Self.mostUnseen { late.removeFirst() }
      late.append(callout)
      return []
    }
    return end(
      unseen.remove(at: place), dueNs: dueNs, excluding: exclusions, now: now, number, annotations)
  }

  /// The beginning and end of a stay at which nobody looked.
  private mutating func end(
    _ unseen: UnseenStay, dueNs: Nanoseconds, excluding exclusions: Exclusions, now: Nanoseconds,
    _ number: () -> StallID, _ annotations: () -> [String: String]
  ) -> [Record] {
    guard let due = DueWork(timerNs: dueNs, mainQueueNs: nil) else { return [] }
    // A later stay may go on meanwhile.
    let going = (stay, current)
    defer { (stay, current) = going }
    current = nil
    stay = Stay(
      leftNs: unseen.sinceNs, mode: unseen.mode, sinceNs: max(dueNs, unseen.sinceNs), due: due,
      lastDueNs: unseen.endNs)
    return finish(at: unseen.endNs, excluding: exclusions, now: now, number, annotations)
  }

  /// Ends the away when the stay is over: the thread was outside for less than the threshold after all, its spell was
  /// lost, or watching stops meanwhile. Call it after the spells were taken.
  package mutating func reconcile(
    leftNs: Nanoseconds?, excluding exclusions: Exclusions, now: Nanoseconds, stopping: Bool = false,
    number: () -> StallID, annotations: () -> [String: String]
  ) -> [Record] {
    guard let stay, stopping || leftNs != stay.leftNs else { return [] }
    if stopping { return finish(at: now, excluding: exclusions, now: now, number, annotations) }
    return lose(excluding: exclusions).map { [$0] } ?? []
  }

  /// Cancels the away, if there is one, because it proved false.
  package mutating func cancel(reason: String, at now: Nanoseconds) -> Record? {
    defer { (stay, current) = (nil, nil) }
    return current.map {
      .stallEnded(
        StallEnded(
          id: $0.id, state: .cancelled, duration: now.since($0.startedNs), phase: $0.phase, reason: reason))
    }
  }

  // MARK: -

  /// Ends the stay at the last look that found work due: when it ended, or when its work was served, is not known.
  private mutating func lose(excluding exclusions: Exclusions) -> Record? {
    guard let last = stay?.lastDueNs else { return nil }
    let ended = end(at: last, excluding: exclusions)
    stay = nil
    return ended
  }

  /// Ends the stay at `end`, with work due until then.
  private mutating func finish(
    at end: Nanoseconds, excluding exclusions: Exclusions, now: Nanoseconds, _ number: () -> StallID,
    _ annotations: () -> [String: String]
  ) -> [Record] {
    defer { stay = nil }
    var records: [Record] = []
    if current == nil, let stay {
      let length = end.since(stay.sinceNs).since(exclusions.overlap(from: stay.sinceNs, to: end))
      guard length >= threshold, let began = begin(at: max(now, end), number, annotations) else { return [] }
      records.append(.stallBegan(began))
    }
    if let ended = self.end(at: end, excluding: exclusions) { records.append(ended) }
    return records
  }

  private mutating func begin(
    at now: Nanoseconds, _ number: () -> StallID, _ annotations: () -> [String: String]
  ) -> StallBegan? {
    guard let stay else { return nil }
    current = StallBegan(
      id: number(), loop: loop, mode: stay.mode, phase: .waiting, depth: 0, kind: .away, startedNs: stay.sinceNs,
      detectedNs: now, annotations: annotations())
    return current
  }

  private mutating func end(at end: Nanoseconds, excluding exclusions: Exclusions) -> Record? {
    guard let began = current, let stay else { return nil }
    current = nil
    let duration = end.since(began.startedNs).since(exclusions.overlap(from: began.startedNs, to: end))
    let isAway = duration >= threshold
    return .stallEnded(
      StallEnded(
        id: began.id, state: isAway ? .ended : .cancelled, duration: duration, phase: began.phase,
        reason: isAway ? stay.due.words : "the process was suspended"))
  }
}
