/// What a store keeps, as a command line or the environment gives it: `7d`, `64MB`, `7d,64MB`, or `all`.
package struct RetentionLimits: Equatable, Sendable {
  /// How long after their last sign of life sessions stay; nil: for ever.
  package var maximumAge: Nanoseconds?
  /// The most bytes that the store's used pages take; nil: no limit.
  package var maximumSize: Int64?

  /// 30 days: people ask about this release and the one before, and what is older is in their own records by then.
  package static let defaultAge = 30 * 86_400 * Nanoseconds.second
  /// 64 MB: a week of a busy loop with 10,000 stalls takes less, a phone can spare it, and a report reads it within two
  /// seconds.
  package static let defaultSize: Int64 = 64_000_000
  /// What a text must be, in words that complete "it must be …".
  package static let expected =
    "an age of 1h or more, a size of 1MB or more, or both, such as 7d, 64MB or 7d,64MB; or 'all'"

  /// Sets both limits; nil is none.
  package init(maximumAge: Nanoseconds? = defaultAge, maximumSize: Int64? = defaultSize) {
    (self.maximumAge, self.maximumSize) = (maximumAge, maximumSize)
  }

  /// The limits that `text` names; nil when it names none. A limit that is not named keeps its default.
  package init?(_ text: String) {
    self.init()
    if text == "all" {
      (maximumAge, maximumSize) = (nil, nil)
      return
    }
    var (hasAge, hasSize) = (false, false)
    for part in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      if let age = SettingRange.retentionAge.parse(part), !hasAge {
        (maximumAge, hasAge) = (age, true)
      } else if let size = SettingRange.retentionSize.parse(part), !hasSize {
        (maximumSize, hasSize) = (size, true)
      } else {
        return nil
      }
    }
  }
}
