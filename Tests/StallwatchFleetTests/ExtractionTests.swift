import StallwatchCore
import StallwatchReport
import StallwatchStore
import StallwatchSymbols
import Testing

@testable import StallwatchFleet

@Suite("Rows of a store")
struct ExtractionTests {
  /// The rows of a session, by what they are.
  struct Rows {
    var activity: [ActivityRow] = []
    var stalls: [StallRow] = []
    var signatures: [SignatureRow] = []
    var stacks: [StackRow] = []
    var times: [StackTimesRow] = []
    var sessions: [SessionRow] = []
    var next = ExtractionRange.everything

    init(_ session: StoredSession, _ extraction: StoreExtraction, from range: ExtractionRange = .everything) throws {
      final class Found { var rows: [ExtractedRow] = [] }
      let found = Found()
      next = try extraction.extract(session, from: range) { found.rows.append($0) }
      for row in found.rows {
        switch row {
        case .activity(let row): activity.append(row)
        case .stall(let row): stalls.append(row)
        case .signature(let row): signatures.append(row)
        case .stack(let row): stacks.append(row)
        case .stackTimes(let row): times.append(row)
        case .session(let row): sessions.append(row)
        case .timer: break
        }
      }
    }
  }

  @Test("sums over all hours are the report's own figures, to the nanosecond and the bucket", arguments: [1, 2, 3])
  func sums(seed: UInt64) throws {
    let generated = try GeneratedStore(seed: seed)
    let store = try StoreReader(path: generated.path)
    let search = SymbolSearch()
    let report = try ReportBuilder(search: search).build(from: store)
    let extraction = try StoreExtraction(store, search: search, version: 1)
    var causes: [String: (count: UInt64, total: Nanoseconds, worst: Nanoseconds)] = [:]
    for session in try extraction.sessions() {
      let rows = try Rows(session, extraction)
      #expect(Set(rows.activity.map(\.hour)).count >= 3)
      for loop in report.loops where loop.session == session.id {
        let own = rows.activity.filter { $0.laneName == loop.name }
        #expect(Set(own.map(\.hour)).count == own.count)
        #expect(own.allSatisfy { $0.watched <= 3_600 * .second || loop.name == "main" })
        let away = loop.isMain ? loop.stalls.awayTotal : 0
        #expect(own.map(\.watched).saturatingSum() == loop.time.whole + away)
        #expect(own.map(\.busy).saturatingSum() == loop.time.busy)
        #expect(own.map(\.iterations).saturatingSum() == loop.iterations)
        #expect(own.map(\.stalls).saturatingSum() == UInt64(loop.stalls.listedCount))
        let hang = loop.stalls.hangTotal + (loop.isMain ? loop.stalls.awayHangTotal : 0)
        #expect(own.map(\.hang).saturatingSum() == hang)
        let modes = try store.modes(loop: loop.id)
        #expect(Self.sum(own.map(\.spans)) == StoredMetric(merging: modes.compactMap { $0.metrics[.span] })?.histogram)
        let waits = StoredMetric(merging: modes.compactMap { $0.metrics[.waiting] })?.histogram
        #expect(Self.sum(own.map(\.delays)) == (loop.kind.isOfItems ? waits : DurationHistogram()))
      }
      #expect(
        rows.stalls.count == rows.activity.map(\.stalls).saturatingSum()
          + UInt64(rows.stalls.count { $0.state == "cancelled" }))
      for cause in rows.activity.flatMap(\.causes) {
        var sum = causes[cause.signature] ?? (0, 0, 0)
        sum = (sum.count + cause.stalls, sum.total + cause.total, max(sum.worst, cause.worst))
        causes[cause.signature] = sum
        #expect(rows.signatures.contains { $0.signature == cause.signature })
      }
      let known = Set(rows.stacks.map(\.stack))
      #expect(rows.times.flatMap(\.times).allSatisfy { known.contains($0.stack) })
      #expect(
        rows.times.allSatisfy { $0.times == $0.times.sorted { ($0.signature, $0.stack) < ($1.signature, $1.stack) } })
    }
    // Taken together as a report does, they are its causes.
    var merged: [String: UInt64] = [:]
    for (key, sum) in causes {
      let signature = report.stalls.merged.first { $0.key.key == key }?.value.key ?? key
      merged[signature, default: 0] += sum.count
    }
    #expect(
      merged == Dictionary(uniqueKeysWithValues: report.stalls.signatures.map { ($0.signature.key, UInt64($0.count)) }))
  }

  @Test("from an hour and a stall on, rows are those of a reading of everything")
  func ranges() throws {
    let generated = try GeneratedStore(seed: 9, sessions: 1)
    let store = try StoreReader(path: generated.path)
    let extraction = try StoreExtraction(store, version: 1)
    let session = try #require(try extraction.sessions().first)
    let all = try Rows(session, extraction)
    let hour = try #require(all.activity.map(\.hour).sorted().dropFirst(4).first { $0 > all.activity[0].hour })
    let stall = UInt64(all.stalls.count / 2)
    let rows = try Rows(session, extraction, from: ExtractionRange(hour: UInt64(hour) / 3_600, stall: stall))
    #expect(Self.bytes(rows.activity) == Self.bytes(all.activity.filter { $0.hour >= hour }))
    #expect(Self.bytes(rows.times) == Self.bytes(all.times.filter { $0.hour >= hour }))
    #expect(Self.bytes(rows.stalls) == Self.bytes(all.stalls.filter { $0.number > stall }))
    #expect(rows.next == all.next)
    #expect(all.next.stall == UInt64(all.stalls.count))
    // Nothing more comes of a reading from there but the hour that may not be over.
    let more = try Rows(session, extraction, from: all.next)
    #expect(more.stalls.isEmpty)
    #expect(Set(more.activity.map(\.hour)).count <= 2)
  }

  @Test("copies of a store give the same rows")
  func copies() throws {
    let (first, second) = (try GeneratedStore(seed: 4, sessions: 1), try GeneratedStore(seed: 4, sessions: 1))
    let rows = try [first, second].map { generated in
      let extraction = try StoreExtraction(StoreReader(path: generated.path), version: 1)
      return try Rows(try #require(try extraction.sessions().first), extraction)
    }
    #expect(Self.bytes(rows[0].activity) == Self.bytes(rows[1].activity))
    #expect(Self.bytes(rows[0].stalls) == Self.bytes(rows[1].stalls))
    #expect(Self.bytes(rows[0].sessions) == Self.bytes(rows[1].sessions))
  }

  private static func sum(_ histograms: [DurationHistogram]) -> DurationHistogram {
    histograms.reduce(into: DurationHistogram()) { $0.add($1) }
  }

  private static func bytes(_ rows: [some FleetRow]) -> [UInt8] {
    var encoder = RowEncoder()
    for row in rows { row.encode(into: &encoder) }
    return encoder.bytes
  }
}
