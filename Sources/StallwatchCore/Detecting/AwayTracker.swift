/// The life of one loop's aways: times outside any run, of at least the threshold, while something was due. Pure: time
/// comes in as numbers.
///
/// An away begins when the first thing is due, or when the thread leaves its loop if that is later. It ends when the thread
/// runs its loop again, when nothing is due any more, or with the process. A stay at which nobody looked is an away, too, if a
/// timer comes late by it.
public struct AwayTracker {
  /// A stay outside in which something is due.
  private struct Stay {
    var leftNs: Nanoseconds
    var mode: Int
    var sinceNs: Nanoseconds
    var due: DueWork
    /// When something was last seen to be due.
    var lastDueNs: Nanoseconds
  }

  /// A stay outside that is over, and at which nobody looked while something was due.
  private struct UnseenStay {
    /// When the thread left, or when a look last found nothing due if that is later.
    var sinceNs: Nanoseconds
    var endNs: Nanoseconds
    var mode: Int
  }

  /// How many unseen stays are remembered: a late callout is read one flush after its stay at most, and in that time there
  /// is room for so many of the default threshold.
  private static let mostUnseen = 5

  private let loop: LoopID
  private let threshold: Nanoseconds
  private var stay: Stay?
  private var unseen: [UnseenStay] = []
  /// The away that is going on, as far as known.
  public private(set) var current: StallBegan?
  /// Every stay that began before is over, even if a look at the board, taken earlier, still shows it.
  private var overUntil: Nanoseconds = 0
  /// When a look last found nothing due: a timer that is made overdue was not due before it was made.
  private var idleNs: Nanoseconds = 0

  /// A tracker for one loop.
  public init(loop: LoopID, threshold: Nanoseconds) {
    self.loop = loop
    self.threshold = threshold
  }

  /// Since when something has been due in the stay outside that goes on; nil: nothing is.
  public var sinceNs: Nanoseconds? { stay?.sinceNs }

  /// The moment at which this stay becomes an away; nil: nothing is due, or it has become one.
  public func deadline(excluding exclusions: Exclusions, at now: Nanoseconds) -> Nanoseconds? {
    guard current == nil, let stay else { return nil }
    return stay.sinceNs + threshold + exclusions.overlap(from: stay.sinceNs, to: now)
  }

  /// Looks at a loop whose thread left a run in `mode` at `leftNs` and is outside any since; `due` is what is due now.
  /// Returns the beginning of an away, or its end where nothing is due any more.
  public mutating func look(
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

  /// Takes a settled spell of the loop's thread: the exact end of a stay outside, also of one that was over before the
  /// watchdog knew it as an away; or a run in a mode not yet observed, of which nobody knows when it began.
  public mutating func take(
    _ spell: LongSpell, excluding exclusions: Exclusions, now: Nanoseconds, number: () -> StallID,
    annotations: () -> [String: String]
  ) -> [Record] {
    guard spell.kind == .outside || spell.kind == .blind, spell.end > overUntil else { return [] }
    overUntil = spell.end
    guard let stay, spell.start <= stay.leftNs, stay.leftNs < spell.end else {
      if spell.kind == .outside {
        if unseen.count == Self.mostUnseen { unseen.removeFirst() }
        unseen.append(UnseenStay(sinceNs: max(spell.start, idleNs), endNs: spell.end, mode: Int(spell.mode)))
      }
      return []
    }
    guard spell.kind == .outside else {
      return cancel(reason: "the loop ran in a mode not yet observed", at: spell.end).map { [$0] } ?? []
    }
    return finish(at: spell.end, excluding: exclusions, now: now, number, annotations)
  }

  /// Takes a late callout of the loop's timer, which was due since `dueNs` and is in the modes that `isIn` knows by their
  /// places: a stay that is over may have made it late. Returns that stay's beginning and end.
  public mutating func take(
    late dueNs: Nanoseconds, isIn: (_ mode: Int) -> Bool, excluding exclusions: Exclusions, now: Nanoseconds,
    number: () -> StallID, annotations: () -> [String: String]
  ) -> [Record] {
    guard let due = DueWork(timerNs: dueNs, mainQueueNs: nil),
      let place = unseen.firstIndex(where: { dueNs < $0.endNs && isIn($0.mode) })
    else { return [] }
    let found = unseen.remove(at: place)
    // A later stay may go on meanwhile.
    let going = (stay, current)
    defer { (stay, current) = going }
    current = nil
    stay = Stay(
      leftNs: found.sinceNs, mode: found.mode, sinceNs: max(dueNs, found.sinceNs), due: due, lastDueNs: found.endNs)
    return finish(at: found.endNs, excluding: exclusions, now: now, number, annotations)
  }

  /// The thread was outside for less than the threshold after all, or no spell told of it; or watching stops while it is
  /// outside. Call after the spells were taken.
  public mutating func reconcile(
    leftNs: Nanoseconds?, excluding exclusions: Exclusions, now: Nanoseconds, stopping: Bool = false,
    number: () -> StallID, annotations: () -> [String: String]
  ) -> [Record] {
    guard let stay, stopping || leftNs != stay.leftNs else { return [] }
    if stopping { return finish(at: now, excluding: exclusions, now: now, number, annotations) }
    return lose(excluding: exclusions).map { [$0] } ?? []
  }

  /// It was no away.
  public mutating func cancel(reason: String, at now: Nanoseconds) -> Record? {
    defer { (stay, current) = (nil, nil) }
    return current.map {
      .stallEnded(
        StallEnded(
          id: $0.id, state: .cancelled, duration: now.since($0.startedNs), phase: $0.phase, reason: reason))
    }
  }

  // MARK: -

  /// The stay is over, or nothing is due in it any more, since a moment that is not known: what was seen counts.
  private mutating func lose(excluding exclusions: Exclusions) -> Record? {
    guard let last = stay?.lastDueNs else { return nil }
    let ended = end(at: last, excluding: exclusions)
    stay = nil
    return ended
  }

  /// The stay is over at `end`, with something due to the last.
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
