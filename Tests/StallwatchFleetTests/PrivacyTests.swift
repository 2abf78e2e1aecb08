import StallwatchCore
import StallwatchReport
import StallwatchStore
import Testing

@testable import StallwatchFleet

/// What leaves of rows into which secrets were planted.
@Suite("Privacy")
struct PrivacyTests {
  /// A secret by what lets it through; nil: nothing does.
  private static let secrets: [(text: String, allowance: Allowance?)] = [
    ("--token=hunter2", .arguments), ("argument.txt", .arguments), ("db-7", .hosts), ("corp.example", .hosts),
    ("Annotated", .annotations), ("noted-key", .annotations), ("ledger.db", .targets), ("10.1.2.3", .targets),
    ("customer", .paths), ("/opt/acme", .paths), ("jane@corp", nil), ("jane", nil), ("Jane", nil), ("bob", nil),
  ]
  private static let facts = PrivateFacts(
    host: "db-7.corp.example", users: ["jane", "bob"], homes: ["/srv/people/jane"], standIn: "5eed")
  private static let origin = RowOrigin(
    session: 1, service: "checkout", release: "4.2.0", environment: "production", instance: "db-7.corp.example")

  /// One row of every kind, with a secret in every text that may have one.
  private static var rows: [any FleetRow] {
    let mixed = "work of jane on db-7 in /home/bob/inbox for jane@corp.example"
    var session = SessionRow(
      origin: origin, started: 1, duration: 1, ended: "clean", exitStatus: 0, threshold: 1, platform: "linux x86_64",
      host: "db-7.corp.example", version: 1)
    session.command = ["/home/jane/bin/checkout", "--token=hunter2", "/home/jane/argument.txt", "jane@corp.example"]
    session.tags = [("owner", "jane@corp.example"), ("node", "DB-7"), ("home", "/Users/bob/x"), ("team", "JaneTeam")]
    session.losses = [("records", 1)]
    let activity = ActivityRow(
      origin: origin, hour: 0, lane: 1, laneName: mixed, laneKind: "queue", isMain: false, watched: 1, version: 1)
    var stall = StallRow(
      origin: origin, started: 1, number: 1, lane: 1, laneName: mixed, kind: "stall", state: "ended", severity: "hang",
      mode: mixed, phase: "service", duration: 1, version: 1)
    stall.call = "openat"
    stall.target = "/home/jane/ledger.db 10.1.2.3 db-7.corp.example"
    stall.annotations = [("noted-key", "Annotated by jane@corp.example"), ("path", "/home/jane/x")]
    let signature = SignatureRow(
      service: "checkout", signature: "0123456789ab",
      title: "load() at /home/jane/customer/Sources/App/Load.swift:7 · read",
      function: "load()", file: "/home/jane/customer/Sources/App/Load.swift", line: 7, call: "read",
      called: "read(/opt/acme/customer/lib/a.c)", near: "",
      frames: ["main", "closure #1 in /opt/acme/customer/vendor/x/y.swift", "load()"], version: 1)
    let stack = StackRow(
      service: "checkout", stack: 1, frames: ["main", "f(/Users/jane/customer/a/b/c.swift)", "load()"], version: 1)
    let times = StackTimesRow(
      origin: origin, hour: 0, times: [.init(signature: "0123456789ab", stack: 1, looks: 1, weight: 1)], version: 1)
    let timer = TimerRow(origin: origin, at: 0, laneName: mixed, timer: "poll jane@corp.example", version: 1)
    return [activity, stall, signature, stack, times, timer, session]
  }

  private func bytes(_ rows: [any FleetRow], _ policy: PrivacyPolicy) -> String {
    var privacy = policy.session(Self.facts)
    var encoder = RowEncoder()
    for row in rows { for clean in privacy.cleaned(row) { clean.encode(into: &encoder) } }
    return String(decoding: encoder.bytes, as: UTF8.self)
  }

  private func found(in text: String) -> [String] { Self.secrets.map(\.text).filter { text.contains($0) } }

  @Test("lets no planted secret out by itself, in no row's bytes")
  func careful() {
    var plain = RowEncoder()
    for row in Self.rows { row.encode(into: &plain) }
    #expect(found(in: String(decoding: plain.bytes, as: UTF8.self)).count == Self.secrets.count)
    let text = bytes(Self.rows, PrivacyPolicy())
    #expect(found(in: text) == [])
    #expect(!text.lowercased().contains("db-7") && !text.lowercased().contains("jane"))
    // What a fleet asks for is all there.
    for kept in ["checkout", "4.2.0", "production", "5eed", "Sources/App/Load.swift", "load()", "openat", "main"] {
      #expect(text.contains(kept), "\(kept)")
    }
  }

  @Test("lets out by an allowance what it names, and nothing of the others", arguments: Allowance.allCases)
  func allowed(allowance: Allowance) {
    let found = Set(found(in: bytes(Self.rows, PrivacyPolicy(allowing: [allowance]))))
    let own = Set(Self.secrets.filter { $0.allowance == allowance }.map(\.text))
    // Paths that may leave have the names of those whose they are.
    let names: Set = allowance == .paths ? ["jane", "bob"] : []
    #expect(own.isSubset(of: found))
    #expect(found.subtracting(names) == own)
  }

  @Test("lets no e-mail address out even where all is allowed")
  func never() {
    let text = bytes(Self.rows, PrivacyPolicy(allowing: Set(Allowance.allCases)))
    #expect(!text.contains("jane@corp"))
    #expect(text.contains("db-7.corp.example") && text.contains("ledger.db") && text.contains("hunter2"))
  }

  @Test("gives a machine another name only where nobody gave it one, and host names may not leave")
  func instances() {
    let instance = { (policy: PrivacyPolicy, facts: PrivateFacts) in
      policy.session(facts).cleaned(Self.origin).instance
    }
    var named = Self.facts
    named.standIn = nil
    #expect(instance(PrivacyPolicy(), Self.facts) == "5eed")
    #expect(instance(PrivacyPolicy(allowing: [.hosts]), Self.facts) == "db-7.corp.example")
    #expect(instance(PrivacyPolicy(), named) == "db-7.corp.example")
  }

  @Test("adds timers together that lose what tells them apart")
  func timers() {
    var privacy = PrivacyPolicy().session(Self.facts)
    func timer(_ name: String, _ due: UInt64) -> TimerRow {
      var row = TimerRow(origin: Self.origin, at: 0, laneName: "main", timer: name, version: 1)
      (row.due, row.fired) = (due, due)
      row.lateness.record(due * .millisecond)
      return row
    }
    #expect(privacy.cleaned(timer("poll", 1)).count == 1)
    #expect(privacy.cleaned(timer("mail a@x.org", 2)).isEmpty)
    #expect(privacy.cleaned(timer("mail b@x.org", 3)).isEmpty)
    let last = privacy.cleaned(Self.rows[6])
    #expect(last.count == 2 && last.last is SessionRow)
    let sum = last.first as? TimerRow
    #expect(sum?.timer == "mail <e-mail>" && sum?.due == 5)
    #expect(sum?.lateness.buckets.map(\.count) == [1, 1])
    #expect(privacy.cleaned(Self.rows[6]).count == 1)
  }

  @Test("is a list that names every allowance")
  func list() {
    for allowance in Allowance.allCases { #expect(Allowance.list.contains("  \(allowance.rawValue) ")) }
    #expect(Allowance.list.split(separator: "\n").count == Allowance.allCases.count + Allowance.never.count)
  }
}
