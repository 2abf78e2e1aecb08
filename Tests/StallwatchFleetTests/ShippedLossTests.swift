import StallwatchCore
import StallwatchStore
import StallwatchSymbols
import TestPrograms
import Testing

@testable import StallwatchFleet

/// Ships a store that removes stalls before they were sent, and reads the counted loss back from what arrived.
final class ShippedLossTests {
  private static let began = 5_000 * Nanoseconds.second
  private static let startedAt = 1_777_630_830 * Nanoseconds.second
  private static let stalls: UInt64 = 600
  private let directory: TestDirectory
  private let clock = FakeClock()
  private let delivery = FakeDelivery()
  private var configuration = ShippingConfiguration()
  private var path: String { directory.file("app.stallwatch") }

  init() throws {
    directory = try TestDirectory()
    try writeStore()
  }

  private func writeStore() throws {
    let record = SessionRecord(
      process: ProcessIdentity(pid: 100, startTime: 1, bootID: "boot", host: "host"), command: ["/opt/app"],
      startedAt: Self.startedAt, startedNs: Self.began, threshold: 50 * .millisecond, origin: "embedded",
      platform: "made up")
    let recorder = try ManualRecorder(path: path, session: record, retention: nil)
    let loop = LoopID(rawValue: 1)
    try recorder.take([
      .loop(LoopRecord(id: loop, name: "main", threadID: 1, isMain: true, startedNs: Self.began)),
      .mode(ModeRecord(loop: loop, index: 0, name: "default", attachedNs: Self.began)),
    ])
    for number in 1...Self.stalls {
      let (id, start) = (StallID(rawValue: number), Self.began + number * 10 * .second)
      try recorder.take([
        .stallBegan(
          StallBegan(
            id: id, loop: loop, mode: 0, phase: .service, depth: 1, kind: .stall, startedNs: start,
            detectedNs: start + 50 * .millisecond, annotations: ["screen": String(repeating: "Feed ", count: 40)])),
        .stallEnded(StallEnded(id: id, state: .ended, duration: .second, phase: .service)),
      ])
    }
    try recorder.close(endedNs: Self.began + (Self.stalls + 1) * 10 * .second)
  }

  private func ship() throws {
    var surroundings = Shipper.Surroundings(
      stores: { [path] in [path] },
      open: {
        try StoreSource(path: $0, search: SymbolSearch(), version: $1, privacy: PrivacyPolicy(), standIn: "here")
      },
      say: { _ in })
    surroundings.show = { _ in }
    _ = try Shipper(.test(directory), to: delivery, configuration, clock, surroundings).run(following: false)
    clock.now += 3_600 * .second
  }

  /// The numbers of the stalls that arrived.
  private func arrived() throws -> Set<UInt64> {
    Set(try Unpacked.rows(of: delivery, "stalls", StallRow.init(from:)).map(\.number))
  }

  /// The losses that the session's row has which came last.
  private func losses() throws -> [String: UInt64] {
    try #require(try Unpacked.rows(of: delivery, "sessions", SessionLosses.init(from:)).last).losses
  }

  /// Removes stalls until `isEnough` of those that are left. Returns how many those are.
  private func prune(until isEnough: (Int) -> Bool) throws -> Int {
    var limit = try StorePruner(path, limits: Self.limits(.max), rehearsing: true).run(wallNow: 0).usedBefore
    while limit > 0 {
      limit -= 8_192
      _ = try StorePruner(path, limits: Self.limits(limit)).run(wallNow: 0)
      let left = try StoreReader(path: path).lastStalls(limit: Int(Self.stalls)).count
      if isEnough(left) { return left }
    }
    Issue.record("no limit left that many stalls")
    return 0
  }

  private static func limits(_ size: Int64) -> RetentionLimits {
    RetentionLimits(maximumAge: nil, maximumSize: size)
  }

  @Test func aStoreSaysFromWhenOnItIsWhole() throws {
    let session = { [path] in
      try #require(
        try StoreSource(path: path, search: SymbolSearch(), version: 1, privacy: PrivacyPolicy(), standIn: "here")
          .sessions().first)
    }
    #expect(try session().wholeFrom == 0)
    _ = try prune { $0 < 300 }
    let first = try #require(try StoreReader(path: path).lastStalls(limit: 300).last).began.startedNs
    let moment = Self.startedAt + (first - Self.began)
    #expect(try session().wholeFrom > WallHour.start(of: moment))
    #expect(try session().wholeFrom <= WallHour.start(of: moment) + 2 * WallHour.length)
  }

  @Test func whatIsRemovedBeforeTheFirstLookIsCounted() throws {
    let left = try prune { $0 < 300 }
    try ship()
    #expect(try arrived().count == left)
    #expect(try losses()["ship stalls"] == Self.stalls - UInt64(left))
  }

  @Test func whatIsRemovedWhileTheSpoolIsFullIsCounted() throws {
    configuration.batchRows = 100
    configuration.spoolLimit = 20_000
    delivery.otherwise = .notNow("away")
    try ship()
    let left = try prune { $0 < 200 }
    delivery.otherwise = .taken
    try ship()
    let came = try arrived()
    #expect(came.count > left && came.count < Self.stalls)
    #expect(try losses()["ship stalls"] == Self.stalls - UInt64(came.count))
    // It is counted once.
    try ship()
    #expect(try losses()["ship stalls"] == Self.stalls - UInt64(came.count))
    #expect(try ShippingLedger.test(directory).counters()["dropped stalls"] == Self.stalls - UInt64(came.count))
  }

  @Test func whatIsRemovedToTheLastStallIsCounted() throws {
    _ = try prune { $0 == 0 }
    try ship()
    #expect(try arrived().isEmpty)
    #expect(try losses()["ship stalls"] == Self.stalls)
  }
}

/// What a session's row says is missing.
private struct SessionLosses {
  let losses: [String: UInt64]

  init(from decoder: inout RowDecoder) throws(RowDecoder.Damage) {
    _ = try RowOrigin(from: &decoder)
    _ = try decoder.number(UInt32.self)
    for _ in 0..<2 { _ = try decoder.number(UInt64.self) }
    _ = try decoder.text()
    _ = try decoder.number(Int32.self)
    _ = try decoder.number(UInt64.self)
    for _ in 0..<2 { _ = try decoder.text() }
    for _ in 0..<3 { _ = try decoder.texts() }
    for _ in 0..<5 { _ = try decoder.number(UInt64.self) }
    for _ in 0..<2 { _ = try decoder.histogram() }
    let (names, counts) = (try decoder.texts(), try decoder.numbers(UInt64.self))
    losses = Dictionary(uniqueKeysWithValues: zip(names, counts))
    _ = try decoder.number(UInt64.self)
  }
}
