import StallwatchCore
import Testing

@testable import StallwatchStore

/// A writer whose clock a test moves, with the records of a loop that is busy 50 ms in every 250 ms.
final class AgingWriter {
  let writer: StoreWriter
  static let hour = 3_600 * Nanoseconds.second
  static let day = 24 * hour

  init(_ path: String, limits: RetentionLimits = RetentionLimits(maximumAge: nil, maximumSize: nil)) throws {
    var configuration = StoreRecorder.Configuration()
    configuration.retention = limits
    writer = try StoreWriter(path: path, session: Sample.session(), configuration: configuration)
    try writer.write([Sample.loop(), Sample.mode()])
  }

  /// Writes the minutes in `range`, counted from the session's start, each in a closing of its own.
  func write(minutes range: Range<UInt64>) throws {
    for minute in range {
      let from = Sample.start + minute * 60 * .second
      let stretches = (0..<240 as Range<UInt64>).map { place in
        ModeStretch(
          startNs: from + place * 250 * .millisecond, endNs: from + (place + 1) * 250 * .millisecond,
          busy: 50 * .millisecond + place, waiting: 200 * .millisecond - place, iterations: 3, longest: 40 + minute)
      }
      try writer.write([
        .profile(
          ProfileDelta(
            loop: Sample.main, mode: 0, atNs: from + 59 * .second, entries: 1, iterations: 720, starved: 7,
            metrics: [Sample.growth(.span, [minute + 1, 1_000 * (minute + 1)], longestBefore: 1_000 * minute)],
            stretches: stretches))
      ])
    }
  }

  /// Writes a stall of 100 ms with `samples` samples, no two with the same stack.
  func writeStall(_ number: UInt64, at moment: Nanoseconds, samples: UInt64 = 0) throws {
    try writer.write([
      Sample.began(number, at: moment),
      Sample.samples(
        number,
        (0..<samples).map {
          Sample.sample(at: moment + 60 * .millisecond + $0, .running, [number * 1_000 + $0, 1, 2])
        }), Sample.ended(number, duration: 100 * .millisecond),
    ])
  }

  /// Lets the session go on until `moment` after its start, and tends it until nothing is left to do.
  func tend(at moment: Nanoseconds, wallNow: Nanoseconds = 0) throws {
    try writer.write([Sample.health(at: moment)])
    try writer.beginTending(wallNow: wallNow)
    while try writer.tend() {}
  }

  func number(_ sql: String) throws -> Int64 { try #require(try writer.connection.firstInteger(sql)) }

  /// Sums that no aging may change.
  func sums() throws -> [Int64] {
    try ["busy_ns", "waiting_ns", "outside_ns", "iterations", "entries", "starved_ns"].map {
      try number("SELECT sum(\($0)) FROM time_windows")
    } + [try number("SELECT max(longest_ns) FROM time_windows")]
  }
}
