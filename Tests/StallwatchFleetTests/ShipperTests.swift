import Foundation
import StallwatchCore
import StallwatchStore
import TestPrograms
import Testing

@testable import StallwatchFleet

/// Ships made-up stores to a made-up destination in made-up time.
final class ShipperTests {
  private let directory: TestDirectory
  private let clock = FakeClock()
  private let store = FakeStore()
  private let delivery = FakeDelivery()
  private var configuration = ShippingConfiguration()
  private var said: [String] = []
  private var isGone = false
  /// In place of ``store``, by their names.
  private var others: [String: FakeStore] = [:]
  private var page = ""

  init() throws { directory = try TestDirectory() }

  private func ship(following: Bool = false) throws -> ShippingSummary {
    let ledger = try ShippingLedger.test(directory)
    var surroundings = Shipper.Surroundings(
      stores: { [self] in isGone ? [] : others.isEmpty ? [directory.file("store")] : others.keys.sorted() },
      open: { [self] in
        let source = others[$0] ?? store
        source.version = $1
        return source
      },
      say: { [self] in said.append($0) })
    surroundings.publish = { [self] in page = $0 }
    return try Shipper(ledger, to: delivery, configuration, clock, surroundings).run(following: following)
  }

  /// The stalls that arrived, each as often as it came.
  private func arrived() throws -> [UInt64] { try rows("stalls", StallRow.init(from:)).map(\.number) }

  private func rows<Row>(
    _ table: String, _ read: (inout RowDecoder) throws(RowDecoder.Damage) -> Row
  ) throws -> [Row] {
    try Unpacked.rows(of: delivery, table, read)
  }

  @Test func onlyWhatIsNewIsSent() throws {
    store.add(1...5)
    var summary = try ship()
    #expect(summary.rows == ["activity": 1, "sessions": 1, "stalls": 5])
    #expect((summary.stores, summary.sessions, summary.left, summary.obstacle) == (1, 1, 0, nil))
    summary = try ship()
    #expect(summary.batches == 0)
    store.add(6...7)
    summary = try ship()
    #expect(summary.rows == ["activity": 1, "sessions": 1, "stalls": 2])
    #expect(try arrived() == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test func aStallThatWasOpenIsSentOnceItIsOverWithItsHour() throws {
    store.add([1, 2, 3])
    store.stalls[1].isOpen = true
    // Ten hours later, so that the hour of the open stall would not be made again.
    store.lastSeen = 10 * 3_600 * .second
    _ = try ship()
    #expect(try arrived() == [1, 3])
    store.lastSeen += .second
    _ = try ship()
    #expect(try arrived() == [1, 3])
    store.stalls[1].isOpen = false
    store.lastSeen += .second
    _ = try ship()
    #expect(try arrived() == [1, 3, 2])
    #expect(store.readFrom.last == WallHour.start(of: FakeStore.start))
  }

  @Test func theHoursOfASessionThatIsOverAreAllMadeAgainOnce() throws {
    store.add(1...2)
    store.lastSeen = 20 * 3_600 * .second
    _ = try ship()
    store.isRunning = false
    _ = try ship()
    #expect(store.readFrom.last == 0)
    #expect(try arrived() == [1, 2])
    #expect(try ship().batches == 0)
  }

  @Test func hoursOfWhichPartsWereRemovedSinceAreNotMadeAgain() throws {
    store.add(1...2)
    store.lastSeen = 20 * 3_600 * .second
    _ = try ship()
    store.wholeFrom = WallHour.start(of: FakeStore.start) + 5 * WallHour.length
    store.isRunning = false
    _ = try ship()
    #expect(store.readFrom.last == store.wholeFrom)
    #expect(try ship().batches == 0)
  }

  @Test func hoursThatWereNeverSentAreMadeOfWhatIsLeft() throws {
    store.add(1...2)
    store.wholeFrom = WallHour.start(of: FakeStore.start) + 5 * WallHour.length
    store.isRunning = false
    _ = try ship()
    #expect(store.readFrom == [0])
  }

  /// Stores of three stalls each, whose sessions are numbered from 1.
  private func makeOthers(_ count: UInt64) {
    for number in 1...count {
      let other = FakeStore()
      other.key = number
      other.add(1...3)
      others["store \(number)"] = other
    }
  }

  private func sessionsOfStalls() throws -> [UInt64: Int] {
    Dictionary(grouping: try rows("stalls", StallRow.init(from:)), by: \.origin.session).mapValues(\.count)
  }

  @Test func aPauseBetweenStoresLosesNothing() throws {
    makeOthers(5)
    for other in others.values {
      other.afterReading = { [clock, configuration] in clock.now += configuration.readingTime }
    }
    let summary = try ship()
    #expect((summary.stores, summary.sessions) == (5, 5))
    #expect(try sessionsOfStalls() == [1: 3, 2: 3, 3: 3, 4: 3, 5: 3])
    for other in others.values { #expect(other.readFrom.count == 1) }
  }

  @Test func aStoreThatIsBrokenInTheMiddleTakesNoOtherWithIt() throws {
    makeOthers(3)
    others["store 2"]?.afterReading = { throw StoreError.damaged(path: "store 2", detail: "here") }
    let summary = try ship()
    #expect((summary.stores, summary.unreadable) == (2, 1))
    #expect(try sessionsOfStalls() == [1: 3, 3: 3])
    #expect(said == ["left out: \(StoreError.damaged(path: "store 2", detail: "here"))"])
  }

  @Test func anOlderCopySaysNothing() throws {
    store.add(1...5)
    _ = try ship()
    store.lastSeen -= .second
    #expect(try ship().batches == 0)
  }

  @Test func aReadingThatIsBrokenOffGoesOnWhereItWas() throws {
    configuration.batchRows = 10
    configuration.readingBytes = 1
    // Numbers are given in another order than stalls began.
    store.add(stride(from: 2, through: 100, by: 2))
    store.add(stride(from: 1, through: 99, by: 2))
    let summary = try ship()
    #expect(summary.left == 0)
    #expect(store.readFrom.count >= 10)
    #expect(Set(try arrived()) == Set(1...100))
    // At each break, only the stall that was read last comes again.
    #expect(try arrived().count <= 100 + store.readFrom.count)
  }

  @Test func aStallThatBecameKnownBetweenTwoReadingsIsNotForgotten() throws {
    configuration.batchRows = 10
    configuration.spoolLimit = 8_000
    delivery.otherwise = .notNow("away")
    store.add(1...30)
    _ = try ship()
    // It began before those that were read already.
    store.stalls.append(FakeStore.Stall(number: 31, began: FakeStore.start + 2 * .second))
    store.lastSeen += .second
    delivery.otherwise = .taken
    clock.now += 3_600 * .second
    _ = try ship()
    #expect(Set(try arrived()) == Set(1...31))
  }

  @Test func whenTheSpoolIsFullTheRestWaitsInTheStore() throws {
    configuration.batchRows = 10
    configuration.spoolLimit = 20_000
    delivery.otherwise = .notNow("away")
    store.add(1...500)
    var summary = try ship()
    #expect(summary.obstacle == "away")
    #expect(summary.hasMore)
    #expect(delivery.tries == configuration.mostTries)
    delivery.otherwise = .taken
    clock.now += 3_600 * .second
    summary = try ship()
    #expect((summary.obstacle, summary.left) == (nil, 0))
    #expect(Set(try arrived()) == Set(1...500))
  }

  @Test func whatTheStoreRemovedBeforeItCouldBeSentIsCounted() throws {
    store.add(1...5)
    _ = try ship()
    store.add(6...20)
    store.stalls.removeAll { $0.number <= 12 }
    store.removed = 12
    _ = try ship()
    #expect(try arrived() == Array(1...5) + Array(13...20))
    #expect(try ShippingLedger.test(directory).leftOut(session: 7).map(\.count) == [7])
    // The session's row that was sent last says so.
    store.lastSeen += .second
    _ = try ship()
    #expect(try ShippingLedger.test(directory).counters()["dropped stalls"] == 7)
  }

  @Test func whatTheStoreRemovedIsCountedAlsoWhereNothingIsLeft() throws {
    store.add(1...5)
    _ = try ship()
    store.add(6...20)
    store.stalls = []
    store.removed = 20
    _ = try ship()
    #expect(try ShippingLedger.test(directory).leftOut(session: 7).map(\.count) == [15])
    store.add(21...22)
    _ = try ship()
    #expect(try arrived() == Array(1...5) + [21, 22])
    #expect(try ShippingLedger.test(directory).leftOut(session: 7).map(\.count) == [15])
  }

  @Test func whatTheStoreRemovedInTheMiddleOfAReadingIsCounted() throws {
    configuration.batchRows = 10
    configuration.spoolLimit = 8_000
    delivery.otherwise = .notNow("away")
    store.add(1...30)
    _ = try ship()
    store.stalls.removeAll { $0.number <= 25 }
    store.removed = 25
    store.lastSeen += .second
    delivery.otherwise = .taken
    clock.now += 3_600 * .second
    _ = try ship()
    let lost = 30 - UInt64(Set(try arrived()).count)
    #expect(lost > 0)
    #expect(try ShippingLedger.test(directory).leftOut(session: 7).map(\.count) == [lost])
  }

  @Test func aStoreThatIsGoneIsCounted() throws {
    configuration.batchRows = 10
    configuration.spoolLimit = 20_000
    delivery.otherwise = .notNow("away")
    store.add(1...500)
    _ = try ship()
    isGone = true
    delivery.otherwise = .taken
    clock.now += 3_600 * .second
    _ = try ship()
    let left = try ShippingLedger.test(directory).leftOut(session: 7).map(\.count)
    #expect(left.count == 1)
    #expect(try UInt64(Set(arrived()).count) + (left.first ?? 0) >= 500)
    #expect(said.contains { $0.contains("is gone") })
  }

  @Test func aBatchThatIsNeverTakenIsSetAsideAndOthersGoOn() throws {
    store.add(1...5)
    delivery.script = [.taken, .never("bad data")]
    let summary = try ship()
    #expect((summary.batches, summary.rejected, summary.left) == (2, 1, 0))
    #expect(said.contains { $0.contains("bad data") })
    // At the next start it is tried again.
    #expect(try ship().batches == 1)
    #expect(Set(try arrived()) == Set(1...5))
  }

  @Test func whereNothingIsEverTakenTheFaultIsWithTheDestination() throws {
    configuration.batchRows = 2
    store.add(1...20)
    delivery.otherwise = .never("no")
    let summary = try ship()
    #expect(summary.rejected == UInt64(configuration.mostRejections))
    #expect(summary.left > 0)
    #expect(summary.obstacle?.contains("takes none of several batches: no") == true)
    delivery.otherwise = .taken
    clock.now += 3_600 * .second
    #expect(try ship().left == 0)
    #expect(Set(try arrived()) == Set(1...20))
  }

  @Test func whatAPersonHasToMendEndsItAtOnce() throws {
    store.add(1...5)
    delivery.otherwise = .notUntilMended("wrong password")
    let summary = try ship()
    #expect(delivery.tries == 1)
    #expect(summary.obstacle == "wrong password")
    #expect(summary.left > 0)
  }

  @Test func followingGoesOnUntilItIsStopped() throws {
    store.add(1...3)
    delivery.script = [.notNow("away"), .notNow("away")]
    var waits = 0
    clock.afterWait = { [self] in
      waits += 1
      if waits == 5 { store.add(4...6) }
      if waits == 8 { clock.isStopped = true }
    }
    let summary = try ship(following: true)
    #expect(try arrived() == [1, 2, 3, 4, 5, 6])
    #expect((summary.retries, summary.left, summary.obstacle) == (2, 0, nil))
    #expect(said.count { $0.contains("away") } == 1)
    #expect(page.contains("stallwatch_ship_batches_retried_total 2\n"))
    #expect(page.contains("stallwatch_ship_rows_sent_total{table=\"stalls\"} 6\n"))
    #expect(page.contains("stallwatch_ship_spool_batches 0\n"))
  }

  @Test func versionsGrowAlsoWhenTheClockIsSetBack() throws {
    let versions = { [self] in try rows("activity", ActivityRow.init(from:)).map(\.version) }
    store.add(1...3)
    _ = try ship()
    #expect(try versions() == [clock.wall])
    clock.setBack = 3_600 * .second
    for _ in 0..<2 {
      store.lastSeen += .second
      _ = try ship()
    }
    let (first, all) = (try #require(try versions().first), try versions())
    #expect(all == [first, first + 1, first + 2])
    clock.now += 2 * 3_600 * .second
    store.lastSeen += .second
    _ = try ship()
    #expect(try versions().last == clock.wall)
  }

  @Test func pausesGrowAndAreShortenedByChance() {
    var pause = DeliveryPause(first: .second, longest: 10 * .second)
    #expect((0..<6).map { _ in pause.next(chance: 0) / .second } == [1, 2, 4, 8, 10, 10])
    pause.reset()
    #expect(pause.next(chance: 1) == .second / 2)
    for _ in 0..<100 { #expect(pause.next(chance: 0.5) <= 10 * .second) }
  }
}

/// Unpacks what was packed for the wire.
enum Unpacked {
  /// The rows of a table that a destination took, in the order in which they came.
  static func rows<Row>(
    of delivery: FakeDelivery, _ table: String, _ read: (inout RowDecoder) throws(RowDecoder.Damage) -> Row
  ) throws -> [Row] {
    try delivery.taken.filter { $0.table == table }.flatMap { batch in
      var decoder = RowDecoder(try gzip(batch.body))
      var rows: [Row] = []
      while !decoder.isAtEnd { rows.append(try read(&decoder)) }
      return rows
    }
  }

  static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
    let directory = try TestDirectory()
    try Data(bytes).write(to: URL(fileURLWithPath: directory.file("packed")))
    return Array(try TestRun.run(["/bin/gzip", "-dc", directory.file("packed")]).output)
  }
}
