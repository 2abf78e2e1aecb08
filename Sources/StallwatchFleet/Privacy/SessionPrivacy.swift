import StallwatchCore
import StallwatchReport

/// A privacy policy, applied to the rows of one session. Each session needs a value of its own; for one thread.
package struct SessionPrivacy {
  private let policy: PrivacyPolicy
  private let scrubber: TextScrubber
  private let standIn: String?
  /// Timers whose names were changed, by the new names. Several may get the same name; their figures are added up.
  private var renamed: [[String]: TimerRow] = [:]

  init(_ policy: PrivacyPolicy, _ facts: PrivateFacts) {
    self.policy = policy
    scrubber = TextScrubber(facts, allowing: policy.allowances)
    standIn = policy.allows(.hosts) ? nil : facts.standIn
  }

  /// The rows that may leave in place of this row of the session, in any order. Timers with private names are held
  /// until the session's own row comes, which is the last of an extraction.
  package mutating func cleaned(_ row: any FleetRow) -> [any FleetRow] {
    switch row {
    case let row as SessionRow:
      defer { renamed = [:] }
      return renamed.values.sorted { ($0.laneName, $0.timer) < ($1.laneName, $1.timer) } + [cleaned(row)]
    case let row as TimerRow:
      let clean = cleaned(row)
      if (clean.laneName, clean.timer) == (row.laneName, row.timer) { return [clean] }
      hold(clean)
      return []
    case let row as ActivityRow: return [cleaned(row)]
    case let row as StallRow: return [cleaned(row)]
    case let row as SignatureRow: return [cleaned(row)]
    case let row as StackRow: return [cleaned(row)]
    case let row as StackTimesRow: return [cleaned(row)]
    // A kind of row that is not listed here does not leave.
    default: return []
    }
  }

  private mutating func hold(_ row: TimerRow) {
    let key = [row.laneName, row.timer]
    guard var known = renamed[key] else {
      renamed[key] = row
      return
    }
    known.due = known.due.saturatingAdd(row.due)
    known.fired = known.fired.saturatingAdd(row.fired)
    known.dropped = known.dropped.saturatingAdd(row.dropped)
    known.lateness.add(row.lateness)
    known.version = max(known.version, row.version)
    renamed[key] = known
  }

  func cleaned(_ origin: RowOrigin) -> RowOrigin {
    var origin = origin
    origin.service = scrubber.label(origin.service)
    origin.release = scrubber.label(origin.release)
    origin.environment = scrubber.label(origin.environment)
    origin.instance = standIn ?? scrubber.label(origin.instance)
    return origin
  }

  func cleaned(_ row: SessionRow) -> SessionRow {
    var row = row
    row.origin = cleaned(row.origin)
    row.platform = scrubber.text(row.platform)
    if !policy.allows(.hosts) { row.host = "" }
    if policy.allows(.arguments) {
      row.command = row.command.map(scrubber.text)
    } else if !row.command.isEmpty {
      row.command = [scrubber.label(CompleteLabels.programName(row.command))]
    }
    row.tags = row.tags.map { (scrubber.text($0.name), scrubber.text($0.value)) }
    row.losses = row.losses.map { (scrubber.text($0.what), $0.count) }
    return row
  }

  func cleaned(_ row: ActivityRow) -> ActivityRow {
    var row = row
    row.origin = cleaned(row.origin)
    row.laneName = scrubber.text(row.laneName)
    return row
  }

  func cleaned(_ row: StallRow) -> StallRow {
    var row = row
    row.origin = cleaned(row.origin)
    row.laneName = scrubber.text(row.laneName)
    row.mode = scrubber.text(row.mode)
    row.call = scrubber.code(row.call)
    row.target = policy.allows(.targets) ? scrubber.text(row.target) : ""
    row.annotations =
      policy.allows(.annotations) ? row.annotations.map { (scrubber.text($0.name), scrubber.text($0.value)) } : []
    return row
  }

  func cleaned(_ row: SignatureRow) -> SignatureRow {
    var row = row
    row.service = scrubber.label(row.service)
    row.title = scrubber.code(row.title)
    row.function = scrubber.code(row.function)
    row.file = scrubber.file(row.file)
    row.call = scrubber.code(row.call)
    row.called = scrubber.code(row.called)
    row.frames = row.frames.map(scrubber.code)
    return row
  }

  func cleaned(_ row: StackRow) -> StackRow {
    var row = row
    row.service = scrubber.label(row.service)
    row.frames = row.frames.map(scrubber.code)
    return row
  }

  func cleaned(_ row: StackTimesRow) -> StackTimesRow {
    var row = row
    row.origin = cleaned(row.origin)
    return row
  }

  func cleaned(_ row: TimerRow) -> TimerRow {
    var row = row
    row.origin = cleaned(row.origin)
    row.laneName = scrubber.text(row.laneName)
    row.timer = scrubber.text(row.timer)
    return row
  }
}
