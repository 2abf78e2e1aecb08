import StallwatchCore
import StallwatchFleet
import StallwatchStore
import TestPrograms

/// Time that a test makes up: waiting takes none of anybody's.
final class FakeClock: ShippingClock {
  var now: Nanoseconds = 1_000 * .second
  var wall: UInt64 { 1_790_000_000 * .second + now - setBack }
  /// How far somebody has set the wall clock back.
  var setBack: Nanoseconds = 0
  var chance = 0.0
  var isStopped = false
  /// How long each wait was.
  private(set) var waits: [Nanoseconds] = []
  /// Called after each wait.
  var afterWait: () -> Void = {}

  func wait(until moment: Nanoseconds) {
    waits.append(moment.since(now))
    now = max(now, moment)
    afterWait()
  }
}

/// A destination that answers as its script has it, and takes what the script does not speak of.
final class FakeDelivery: Delivery {
  let name = "the destination"
  var script: [DeliveryOutcome]
  /// What it says when the script is over.
  var otherwise = DeliveryOutcome.taken
  private(set) var taken: [SpooledBatch] = []
  private(set) var tries = 0

  init(_ script: [DeliveryOutcome] = []) { self.script = script }

  func deliver(_ batch: SpooledBatch) -> DeliveryOutcome {
    tries += 1
    let outcome = script.isEmpty ? otherwise : script.removeFirst()
    if outcome == .taken { taken.append(batch) }
    return outcome
  }
}

/// Sessions as a store would have them, with stalls that a test adds.
final class FakeStore {
  struct Stall {
    var number: UInt64
    /// Nanoseconds since 1970.
    var began: UInt64
    var isOpen = false
  }

  static let start: UInt64 = 1_790_000_000 / 3_600 * 3_600 * .second
  var key: UInt64 = 7
  var stalls: [Stall] = []
  var lastSeen: Nanoseconds = 60 * .second
  var isRunning = true
  var removed: UInt64 = 0
  /// The first hour of which it has all.
  var wholeFrom: UInt32 = 0
  /// Of the rows that it makes.
  var version: UInt64 = 1
  /// The hours from which it was read, in the order of the readings.
  var readFrom: [UInt32] = []
  /// Called when a session was read.
  var afterReading: () throws -> Void = {}

  /// Adds stalls, each a second after the last; `numbers` in the order of their start.
  func add(_ numbers: some Sequence<UInt64>) {
    for number in numbers {
      let last = stalls.map(\.began).max() ?? Self.start
      stalls.append(Stall(number: number, began: last + .second))
    }
    lastSeen = max(lastSeen, (stalls.last?.began ?? Self.start) - Self.start) + .second
  }
}

extension FakeStore: ShippingSource {
  func sessions() throws -> [ShippingSession] {
    [
      ShippingSession(
        key: key, row: 1, lastSeen: lastSeen, lastSeenAt: Self.start + lastSeen, isRunning: isRunning,
        sign: "\(isRunning) \(lastSeen)",
        open: stalls.filter(\.isOpen).map {
          ShippingCheckpoint.Open(number: $0.number, hour: WallHour.start(of: $0.began))
        },
        highestStall: max(stalls.map(\.number).max() ?? 0, removed + UInt64(stalls.count)),
        removedStalls: removed, wholeFrom: wholeFrom)
    ]
  }

  func firstStall(of session: ShippingSession, after number: UInt64) throws -> UInt64? {
    stalls.filter { $0.number > number }.map(\.began).min()
  }

  func forEachPart(
    of session: ShippingSession, from hour: UInt32, isNew: @escaping (UInt64, UInt64) -> Bool,
    _ body: @escaping (ShippingPart) throws -> Void
  ) throws -> UInt32 {
    readFrom.append(hour)
    let origin = RowOrigin(session: key, service: "app", release: "1", environment: "", instance: "here")
    let last = WallHour.start(of: Self.start + lastSeen)
    for current in stride(from: max(hour, WallHour.start(of: Self.start)), through: last, by: 3_600) {
      let inHour = stalls.filter { WallHour.start(of: $0.began) == current }.sorted { $0.began < $1.began }
      for stall in inHour where !stall.isOpen && isNew(stall.number, stall.began) {
        try body(
          .row(
            StallRow(
              origin: origin, started: stall.began, number: stall.number, lane: 1, laneName: "main", kind: "stall",
              state: "ended", severity: "long", mode: "default", phase: "service", duration: .second,
              version: version)))
      }
      try body(
        .row(
          ActivityRow(
            origin: origin, hour: current, lane: 1, laneName: "main", laneKind: "run loop", isMain: true, watched: 1,
            version: version)))
      try body(.endOfHour(current))
    }
    try body(
      .row(
        SessionRow(
          origin: origin, started: Self.start, duration: lastSeen, ended: isRunning ? "running" : "clean",
          exitStatus: nil, threshold: 50, platform: "test", version: version)))
    try afterReading()
    return last
  }
}

extension ShippingLedger {
  static func test(_ directory: TestDirectory, destination: String = "http://a") throws -> ShippingLedger {
    try ShippingLedger(path: directory.file("state"), destination: destination, holder: "a test")
  }
}

extension SpooledBatch {
  static func test(
    _ table: String = "stalls", _ priority: Priority = .stalls, bytes: Int = 100, sessions: [UInt64: UInt64] = [7: 3]
  ) -> SpooledBatch {
    SpooledBatch(
      table: table, columns: ["a", "b"], priority: priority, rows: sessions.values.reduce(0, +),
      body: [UInt8](repeating: 1, count: bytes), made: 5, sessions: sessions)
  }
}
