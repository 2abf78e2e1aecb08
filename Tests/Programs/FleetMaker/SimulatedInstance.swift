import Foundation
import SeededNumbers
import StallwatchCore
import StallwatchStore

/// One machine of the fleet, with its program's sessions.
struct SimulatedInstance {
  let name: String
  let environment: String
  private let number: Int
  private let days: Int
  /// The day from which on it runs release 2.0.
  private let newFrom: Int
  private var random: RandomNumbers
  /// How many times as long the first cause takes in release 2.0; nil where releases differ in their causes.
  private var slower: Double?

  /// A Monday.
  static let firstDay: UInt64 = 1_772_409_600

  init(number: Int, days: Int, seed: UInt64) {
    (self.number, self.days) = (number, days)
    random = RandomNumbers(seed: seed, number: UInt64(number))
    name = "host-\(String(number + 10_000).dropFirst())"
    environment = random.chance(80) ? "production" : "staging"
    newFrom = max(days / 2 - 1 + random.below(3), 0)
  }

  mutating func slowDown(by factor: Double, onShare share: Double) {
    slower = Double.random(in: 0..<1, using: &random) < share ? factor : 1
  }

  mutating func write(into folder: URL, truth: inout FleetTruth) throws {
    let path = folder.appending(path: "\(name).stallwatch").path
    var builds: Set<String> = []
    for day in 0..<days {
      let release = day >= newFrom ? "2.0" : "1.0"
      let starts = Self.firstDay + UInt64(day) * 86_400 + UInt64(random.below(20 * 3_600))
      var session = SimulatedSession(
        instance: self, release: release, starts: starts, length: UInt64(1_800 + random.below(3 * 3_600)),
        pid: Int32(1_000 + day), random: RandomNumbers(seed: random.next()),
        slower: slower.map { release == "2.0" ? $0 : 1 })
      try session.write(to: path, truth: &truth)
      builds.insert(session.buildID)
    }
    try Self.name(path, builds)
  }

  /// Puts the names of all functions into the store, as `record` does after a program's end.
  private static func name(_ path: String, _ builds: Set<String>) throws {
    let namer = try StoreNamer(path, checking: false)
    var batch = StoreNamer.Batch()
    for build in builds.sorted() {
      for (number, cause) in SimulatedCause.all.enumerated() {
        batch.add(cause.function, cause.file, cause.line, at: SimulatedCause.address(number), build)
      }
      batch.add("Feed.update()", "Sources/Feed/Feed.swift", 20, at: SimulatedCause.caller, build)
      batch.add("main", "Sources/Feed/main.swift", 3, at: SimulatedCause.main, build)
    }
    try namer.write(batch)
    namer.close()
  }
}

extension StoreNamer.Batch {
  fileprivate mutating func add(_ function: String, _ file: String, _ line: Int, at address: UInt64, _ build: String) {
    let call = NamedCall(
      function: NamedFunction(name: function, module: "Feed"), file: file, line: line, isOwnSource: true)
    answers.append(
      (build, address - SimulatedCause.base, ImageNames.Answer(wealth: .lines, calls: [call])))
  }
}
