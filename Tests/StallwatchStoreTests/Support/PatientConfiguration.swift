import StallwatchCore
import StallwatchStore

extension StoreRecorder.Configuration {
  /// The defaults, but for how long opening and closing may take: a test asks what is written, not how fast a machine is.
  static var patient: Self {
    var configuration = Self()
    configuration.openTimeout = 60 * .second
    configuration.closeTimeout = 60 * .second
    return configuration
  }
}
