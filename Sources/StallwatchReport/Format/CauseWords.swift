import StallwatchCore

/// What a thread was doing, in words.
enum CauseWords {
  /// `blocked 98 %`: what took most of the watched time, and its share.
  static func short(_ cause: StallCause?) -> String {
    guard let shares = cause.flatMap(CauseShares.init) else { return Figure.unknown }
    return "\(shares.main.rawValue) \(Figure.share(shares[shares.main]))"
  }

  /// `running 12 %, blocked 88 %, starved 0 % of 760 ms watched`.
  static func split(_ cause: StallCause?) -> String {
    guard let shares = cause.flatMap(CauseShares.init) else { return Figure.unknown }
    let parts = ThreadActivity.allCases.map { "\($0.rawValue) \(Figure.share(shares[$0]))" }
    return "\(parts.joined(separator: ", ")) of \(Figure.duration(shares.watched)) watched"
  }

  /// `fsync of /var/cache.db`, `read (pipe)`, `futex`.
  static func blockedOn(_ blockedOn: BlockedOn) -> String {
    let call = DisplayText.name(blockedOn.systemCall, to: 40)
    guard let target = blockedOn.target, target != blockedOn.systemCall else { return call }
    let name = DisplayText.name(target)
    return target.hasPrefix("/") ? "\(call) of \(name)" : "\(call) (\(name))"
  }
}
