import StallwatchCore

/// What a store keeps, by age and by size.
///
/// The monitor's own thread removes what is beyond, in small steps and never while records wait. The oldest detail goes
/// first, then whole sessions; a session that is being recorded never goes. The report says what was removed.
public struct Retention: Sendable, Equatable {
  /// How long after their last sign of life sessions stay, 1 h or more; nil: for ever. Default 30 days: people ask
  /// about this release and the one before, and what is older is in their own records by then.
  public var maximumAge: Duration? = Duration(nanoseconds: RetentionLimits.defaultAge)
  /// The most bytes that the store's contents take, 1 MB or more; nil: no limit. Default 64 MB: a week of a busy loop
  /// with 10,000 stalls takes less, a phone can spare it, and a report reads it within two seconds. The file may be
  /// longer by 4 MB, which is more than a minute brings.
  public var maximumSize: Int? = Int(RetentionLimits.defaultSize)

  /// Sets both defaults.
  public init() {}

  /// Sets both limits; nil is none.
  public init(maximumAge: Duration?, maximumSize: Int?) {
    (self.maximumAge, self.maximumSize) = (maximumAge, maximumSize)
  }

  /// Keeps everything, for ever.
  public static let everything = Retention(maximumAge: nil, maximumSize: nil)
}

extension Retention {
  init(_ limits: RetentionLimits) {
    self.init(
      maximumAge: limits.maximumAge.map { Duration(nanoseconds: $0) }, maximumSize: limits.maximumSize.map { Int($0) })
  }

  /// The same for the store. Throws ``MonitorError/badSetting(name:value:expected:)``.
  func limits() throws(MonitorError) -> RetentionLimits {
    var limits = RetentionLimits(maximumAge: nil, maximumSize: nil)
    if let maximumAge {
      guard let age = maximumAge.nanoseconds, SettingRange.retentionAge.contains(age) else {
        throw .badSetting(
          name: "retention.maximumAge", value: "\(maximumAge)", expected: SettingRange.retentionAge.expected)
      }
      limits.maximumAge = age
    }
    if let maximumSize {
      guard SettingRange.retentionSize.contains(Int64(maximumSize)) else {
        throw .badSetting(
          name: "retention.maximumSize", value: "\(maximumSize)", expected: SettingRange.retentionSize.expected)
      }
      limits.maximumSize = Int64(maximumSize)
    }
    return limits
  }
}
