import Foundation
import StallwatchFleet
import StallwatchStore
import TestPrograms
import Testing

struct ShippingLedgerTests {
  @Test func aBatchAndItsCheckpointAreThereTogether() throws {
    let directory = try TestDirectory()
    var checkpoint = ShippingCheckpoint(session: .max - 1, store: "/a b")
    checkpoint.stall = 12
    (checkpoint.readingStall, checkpoint.readingMoment) = (14, 99)
    checkpoint.open = [.init(number: 3, hour: 3_600), .init(number: 9, hour: 7_200)]
    (checkpoint.hour, checkpoint.isFinal, checkpoint.sign) = (7_200, true, "x")
    (checkpoint.lastSeen, checkpoint.seen, checkpoint.removed) = (4, 15, 2)
    do {
      let ledger = try ShippingLedger.test(directory)
      try ledger.put([.test(), .test("stacks", .stacks)], moving: [checkpoint], saying: [(hash: -5, at: 77)])
      #expect(ledger.spool.waiting == 2)
    }
    let again = try ShippingLedger.test(directory)
    #expect(try again.checkpoint(session: .max - 1) == checkpoint)
    #expect(try again.checkpoints(store: "/a b") == [checkpoint])
    #expect(try again.saidName(hash: -5) == 77)
    #expect(again.spool.waiting == 2)
    var expected = SpooledBatch.test()
    expected.id = 1
    #expect(try again.nextBatch() == expected)
    #expect(try again.nextBatch(after: 1)?.table == "stacks")
    #expect(try again.nextBatch(after: 2) == nil)
  }

  @Test func whatWasTakenIsGoneAndCounted() throws {
    let directory = try TestDirectory()
    let ledger = try ShippingLedger.test(directory)
    try ledger.put([.test(), .test()], moving: [])
    try ledger.remove(try #require(try ledger.nextBatch()))
    #expect(ledger.spool.waiting == 1)
    try ledger.remove(try #require(try ledger.nextBatch()))
    #expect(ledger.spool == SpoolState())
    #expect(try ledger.counters() == ["batches sent": 2, "bytes sent": 200, "rows stalls": 6])
    // A number is never given again: it names the batch to the server.
    try ledger.put([.test()], moving: [])
    #expect(try ledger.nextBatch()?.id == 3)
  }

  @Test func onlyItsOwnerMayReadIt() throws {
    let directory = try TestDirectory()
    _ = try ShippingLedger.test(directory)
    let mode = try FileManager.default.attributesOfItem(atPath: directory.file("state"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func theSecondIsToldWhoHoldsIt() throws {
    let directory = try TestDirectory()
    let ledger = try ShippingLedger.test(directory)
    let error = #expect(throws: LedgerError.self) { _ = try ShippingLedger.test(directory) }
    #expect(error == .held(path: directory.file("state"), by: "a test"))
    _ = ledger.instance
  }

  @Test func anInstanceIsRandomAndStays() throws {
    let (one, other) = (try TestDirectory(), try TestDirectory())
    let instance = try ShippingLedger.test(one).instance
    #expect(instance.count == 16)
    #expect(try ShippingLedger.test(one).instance == instance)
    #expect(try ShippingLedger.test(other).instance != instance)
  }

  @Test func anotherDestinationIsRefused() throws {
    let directory = try TestDirectory()
    _ = try ShippingLedger.test(directory)
    let error = #expect(throws: LedgerError.self) {
      _ = try ShippingLedger.test(directory, destination: "http://b")
    }
    #expect(error == .otherDestination(path: directory.file("state"), its: "http://a"))
  }

  @Test(arguments: ["SQLite format 3, or so", ""])
  func anotherFileIsLeftAlone(text: String) throws {
    let directory = try TestDirectory()
    let padded = text.isEmpty ? "" : text + String(repeating: " ", count: 4_096)
    try padded.write(toFile: directory.file("state"), atomically: false, encoding: .utf8)
    guard !text.isEmpty else {
      _ = try ShippingLedger.test(directory)
      return
    }
    #expect(throws: LedgerError.self) { _ = try ShippingLedger.test(directory) }
    #expect(try String(contentsOfFile: directory.file("state"), encoding: .utf8) == padded)
  }

  @Test func ofWhatIsSetAsideDetailGoesFirstAndIsCounted() throws {
    let directory = try TestDirectory()
    let ledger = try ShippingLedger.test(directory)
    var checkpoint = ShippingCheckpoint(session: 7, store: "a")
    checkpoint.sign = "known"
    let batches = [
      SpooledBatch.test("activity", .figures, bytes: 1_000), .test("stalls", .stalls, bytes: 1_000, sessions: [7: 4]),
      .test("stacks", .stacks, bytes: 1_000, sessions: [7: 5, 8: 6]),
    ]
    try ledger.put(batches, moving: [checkpoint])
    let room = 2 * (1_000 + 4_096)
    while let batch = try ledger.nextBatch() { try ledger.reject(batch, because: "no\u{1B}sense", keeping: room) }
    #expect(ledger.spool.waiting == 0)
    #expect(ledger.spool.rejected == 2)
    #expect(try ledger.leftOut(session: 7).map(\.what) == ["stacks"])
    #expect(try ledger.leftOut(session: 7).map(\.count) == [5])
    #expect(try ledger.leftOut(session: 8).map(\.count) == [6])
    #expect(try ledger.counters()["dropped stacks"] == 11)
    // The session's own row has to say so.
    #expect(try ledger.checkpoint(session: 7)?.sign == "")
    try ledger.retryRejected()
    #expect(ledger.spool.waiting == 2)
    #expect(ledger.spool.rejected == 0)
  }

  @Test func namesAreForgotten() throws {
    let directory = try TestDirectory()
    let ledger = try ShippingLedger.test(directory)
    try ledger.put([], moving: [], saying: [(hash: 1, at: 10), (hash: 2, at: 20)])
    try ledger.forgetNames(before: 20)
    #expect(try ledger.saidName(hash: 1) == nil)
    #expect(try ledger.saidName(hash: 2) == 20)
  }
}
