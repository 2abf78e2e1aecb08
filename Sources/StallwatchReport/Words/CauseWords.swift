import StallwatchCore

/// Causes and blocks in words.
package enum CauseWords {
  /// The activity with the most watched time, and its share: `blocked 98 %`.
  package static func short(_ cause: StallCause?) -> String {
    guard let shares = cause.flatMap(CauseShares.init) else { return Figure.unknown }
    return "\(shares.main.rawValue) \(Figure.share(shares[shares.main]))"
  }

  /// All shares: `running 12 %, blocked 88 %, starved 0 % of 760 ms watched`.
  package static func split(_ cause: StallCause?) -> String {
    guard let shares = cause.flatMap(CauseShares.init) else { return Figure.unknown }
    let parts = ThreadActivity.allCases.map { "\($0.rawValue) \(Figure.share(shares[$0]))" }
    return "\(parts.joined(separator: ", ")) of \(Figure.duration(shares.watched)) watched"
  }

  /// The stalls of unknown cause, why they are, and what to do about it.
  package static func unattributed(_ rest: Unattributed) -> String {
    var reasons: [String] = []
    if rest.unsampledCount > 0 {
      reasons.append(
        "\(Figure.count(rest.unsampledCount)) without a sample, because they ended before the first look or were not looked "
          + "at (a shorter --sample-every sees more)")
    }
    if rest.unreadCount > 0 {
      reasons.append(
        "\(Figure.count(rest.unreadCount)) whose stacks could not be read ('stallwatch doctor PROGRAM' says why)")
    }
    return "Unknown: \(Figure.list(reasons))"
  }

  /// The callout that made it: `in a timer`.
  package static func callout(_ callout: Callout) -> String {
    switch callout {
    case .timer: "in a timer"
    case .source0, .source1: "in a \(callout.rawValue)"
    case .block: "in a block"
    case .mainQueue: "in the main dispatch queue"
    case .observer: "in an observer"
    }
  }

  /// The call and its target: `fsync of /var/cache.db`, `read (pipe)`, `futex`.
  package static func blockedOn(_ blockedOn: BlockedOn) -> String {
    let call = DisplayText.name(blockedOn.systemCall, to: 40)
    guard let target = blockedOn.target, target != blockedOn.systemCall else { return call }
    let name = DisplayText.name(target)
    return target.hasPrefix("/") ? "\(call) of \(name)" : "\(call) (\(name))"
  }
}
