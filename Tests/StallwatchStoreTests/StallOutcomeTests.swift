import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("Stalls that begin and end in one batch")
struct StallOutcomeTests {
  private static let cause = StallCause(running: 1, blocked: 2, starved: 3)
  private static let later = StallCause(running: 4, blocked: 5, starved: 6)
  private static let looks = [Sample.sample(at: 1), Sample.sample(at: 2, .running, [7])]

  /// The stories of single stalls, each to be the same however it is cut into batches.
  private static let stories: [[Record]] = [
    [Sample.began(1, at: 0), Sample.ended(1, duration: 60 * .millisecond)],
    [Sample.began(1, at: 0, annotations: ["note": "x"]), Sample.ended(1, duration: 0, state: .cancelled, reason: "y")],
    [Sample.began(1, at: 0), Sample.samples(1, looks, cause: cause), Sample.ended(1, duration: 3 * .second)],
    [
      Sample.began(1, at: 0), Sample.samples(1, looks, cause: cause), Sample.samples(1, looks),
      Sample.ended(1, duration: 60 * .millisecond),
    ],
    [
      Sample.began(1, at: 0), Sample.samples(1, looks), Sample.samples(1, looks, cause: cause),
      Sample.ended(1, duration: 60 * .millisecond), Sample.samples(1, looks, cause: later),
    ],
    [
      Sample.began(1, at: 0), Sample.samples(1, looks, cause: cause), Sample.ended(1, duration: 60 * .millisecond),
      Sample.samples(1, looks),
    ],
    [
      Sample.ended(1, duration: 70 * .millisecond), Sample.began(1, at: 0), Sample.began(1, at: 5),
      Sample.ended(1, duration: 60 * .millisecond), Sample.ended(1, duration: 80 * .millisecond),
    ],
  ]

  @Test("have the rows that they have in batches of one record", arguments: stories.indices)
  func sameRows(place: Int) throws {
    let story = Self.stories[place]
    let whole = try rows(of: [story])
    #expect(try rows(of: story.map { [$0] }) == whole)
    for cut in 1..<story.count {
      #expect(try rows(of: [Array(story[..<cut]), Array(story[cut...])]) == whole)
    }
  }

  @Test("are written once")
  func writtenOnce() throws {
    let folder = TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("store.db"), session: Sample.session(), configuration: .init())
    try writer.write([Sample.loop(), Sample.mode()], trouble: nil)
    let changes = try rowChanges(of: writer) { try writer.write(Self.stories[0], trouble: nil) }
    let apart = try rowChanges(of: writer) {
      try writer.write([Sample.began(2, at: 0)], trouble: nil)
      try writer.write([Sample.ended(2, duration: 60 * .millisecond)], trouble: nil)
    }
    // Each batch touches the session's row, too.
    #expect(changes == 1 + 1)
    #expect(apart == 2 + 2)
  }

  private func rowChanges(of writer: StoreWriter, in work: () throws -> Void) throws -> Int64 {
    let before = try #require(try writer.connection.firstInteger("SELECT total_changes()"))
    try work()
    return try #require(try writer.connection.firstInteger("SELECT total_changes()")) - before
  }

  /// All that readers see of the only stall.
  private func rows(of batches: [[Record]]) throws -> [String] {
    let folder = TemporaryFolder()
    let path = folder.file("store.db")
    let writer = try StoreWriter(path: path, session: Sample.session(), configuration: .init())
    try writer.write([Sample.loop(), Sample.mode()], trouble: nil)
    for batch in batches { try writer.write(batch, trouble: nil) }
    #expect(writer.state.openStalls.isEmpty)
    writer.fold()
    let reader = try StoreReader(path: path)
    let stall = try #require(try reader.stall(id: 1))
    return ["\(stall)", "\(try reader.samples(stall: 1))"]
  }
}
