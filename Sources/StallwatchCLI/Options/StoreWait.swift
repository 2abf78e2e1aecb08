import ArgumentParser
import StallwatchCore
import StallwatchLibc
import StallwatchStore

/// How long a live verb waits for a store that a recording is about to make.
struct StoreWait: ParsableArguments {
  @Option(
    help: ArgumentHelp("How long to wait for a store that does not exist yet.", valueName: "duration"),
    transform: DurationArgument.parse)
  var wait = DurationArgument(10 * .second)

  /// The time between two looks, in microseconds: nobody notices it.
  private static let pause: UInt32 = 50_000

  /// The first reading of the store at `path`. Waits while there is no store, or nothing in it yet. Throws what `read`
  /// throws when it still throws that after ``wait``, and everything else at once.
  func firstReading<Reading>(of path: String, _ read: () throws -> Reading) throws -> Reading {
    let deadline = ContinuousClock.now + .nanoseconds(Int64(clamping: wait.nanoseconds))
    var hasSaid = false
    while true {
      do {
        return try read()
      } catch let error as StoreError {
        switch error {
        case .missing, .empty: guard ContinuousClock.now < deadline else { throw error }
        default: throw error
        }
      }
      if !hasSaid, StandardError.isTerminal { StandardError.print("stallwatch: waiting for \(path)") }
      hasSaid = true
      usleep(Self.pause)
    }
  }
}
