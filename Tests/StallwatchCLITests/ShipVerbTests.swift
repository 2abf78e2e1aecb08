import Foundation
import TestPrograms
import Testing

@Suite(.serialized) struct ShipVerbTests {
  private static let stallwatch = Built.product("stallwatch")
  /// Nobody listens at port 1, and who is not the superuser cannot.
  private static let nobody = "http://127.0.0.1:1"

  private static func ship(_ arguments: String..., environment: [String: String] = [:]) throws -> TestRun {
    try TestRun.run([stallwatch, "ship"] + arguments, environment: environment)
  }

  @Test(arguments: [
    (["--follow"], "--to <url>"),
    (["--to", "ftp://host"], "must begin with http:// or https://"),
    (["--to", "http://me:secret@host"], "has a password"),
    (["--to", nobody, "--follow", "--once"], "--follow and --once exclude each other"),
    (["--to", nobody, "--allow", "host"], "Did you mean 'hosts'?"),
    (["--to", nobody, "--spool", "1MB"], "a size of 8MB or more"),
    (["--to", nobody, "--interval", "10ms"], "--interval must be 1s or more"),
    (["--dry-run", "--follow"], "--dry-run looks once"),
    (["--to", nobody, "--password-file", "/nowhere/at-all"], "/nowhere/at-all: cannot read the password"),
  ])
  func badUseIsAnsweredInOneLine(options: [String], answer: String) throws {
    let sample = try SampleStore()
    let run = try TestRun.run([Self.stallwatch, "ship", sample.path] + options)
    #expect(run.exitCode == 2)
    #expect(run.errorText.contains(answer), "\(run.errorText)")
    #expect(run.errorText.split(separator: "\n").count == 1)
    #expect(!run.errorText.contains("secret"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: sample.directory.path) == ["sample.stallwatch"])
  }

  @Test func aServerThatIsAwayCostsNothingButTime() throws {
    let sample = try SampleStore(stalls: 3)
    let state = sample.directory.file("stallwatch-ship.state")
    let before = try Data(contentsOf: URL(fileURLWithPath: sample.path))
    let run = try Self.ship(sample.path, "--to", Self.nobody)
    #expect(run.exitCode == 3)
    #expect(run.text.hasPrefix("1 store, 1 session, 0 stalls: 0 batches delivered, 0 bytes, "))
    let last = run.errorText.split(separator: "\n").last.map(String.init) ?? ""
    #expect(last.hasPrefix("stallwatch: \(Self.nobody): cannot be reached"), "\(run.errorText)")
    #expect(last.hasSuffix("batches wait in \(state), and the next 'ship' sends them"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: sample.path)) == before)
    let mode = try FileManager.default.attributesOfItem(atPath: state)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let other = try Self.ship(sample.path, "--to", "http://127.0.0.1:2")
    #expect(other.exitCode == 2)
    #expect(other.errorText.contains("says what was shipped to \(Self.nobody)"))
  }

  @Test func theSecondIsToldWhoShips() throws {
    let sample = try SampleStore()
    let state = sample.directory.file("state")
    let metrics = sample.directory.file("ship.prom")
    let run = try TestRun.run(
      [
        Self.stallwatch, "ship", sample.directory.path, "--follow", "--to", Self.nobody, "--state", state,
        "--metrics-file", metrics,
      ],
      whileRunning: { process in
        let deadline = Date() + 60
        // Its metrics come when it has looked at the stores.
        while !FileManager.default.fileExists(atPath: metrics), Date() < deadline { usleep(20_000) }
        let second = try Self.ship(sample.path, "--to", Self.nobody, "--state", state)
        #expect(second.exitCode == 3)
        #expect(second.errorText.contains("\(state): process \(process), 'stallwatch ship', since "))
        kill(process, SIGTERM)
      })
    #expect(run.exitCode == 0)
    #expect(run.text.contains(" left\n"))
    let page = try String(contentsOfFile: metrics, encoding: .utf8)
    #expect(page.contains("stallwatch_ship_stores 1\n"))
    #expect(page.contains("stallwatch_ship_batches_sent_total 0\n"))
  }

  #if os(Linux)
    @Test func whoFollowsWaitsForRoomAndGoesOn() throws {
      let sample = try SampleStore(stalls: 3)
      let (state, said) = (sample.directory.file("state"), sample.directory.file("said"))
      let metrics = sample.directory.file("ship.prom")
      let command = [
        Self.stallwatch, "ship", sample.path, "--follow", "--to", Self.nobody, "--state", state, "--metrics-file",
        metrics,
      ]
      let run = try TestRun.run(
        ["/bin/bash", "-c", "ulimit -S -f 1; exec \"$@\" 2>'\(said)'", "bash"] + command,
        whileRunning: { process in
          let (deadline, files) = (Date() + 60, FileManager.default)
          let hasSaid = { (try? Data(contentsOf: URL(fileURLWithPath: said)))?.isEmpty == false }
          while !hasSaid(), Date() < deadline { usleep(20_000) }
          #expect(!files.fileExists(atPath: metrics))
          _ = try TestRun.run(["/usr/bin/prlimit", "--pid", "\(process)", "--fsize=unlimited:unlimited"])
          while !files.fileExists(atPath: metrics), Date() < deadline { usleep(20_000) }
          #expect(files.fileExists(atPath: metrics))
          kill(process, SIGTERM)
        })
      #expect(run.exitCode == 0)
      let lines = try String(contentsOfFile: said, encoding: .utf8).split(separator: "\n")
      #expect(lines.first?.hasPrefix("stallwatch: \(state): cannot be written now") == true, "\(lines)")
      #expect(lines.count { $0.contains("cannot be written now") } == 1, "\(lines)")
    }
  #endif

  @Test func aStoreThatCannotBeReadIsLeftOut() throws {
    let sample = try SampleStore()
    try sample.directory.write("hello", to: "text.stallwatch")
    let run = try Self.ship(sample.directory.path, "--to", Self.nobody)
    #expect(run.errorText.contains("left out: \(sample.directory.file("text.stallwatch")): is not a Stallwatch store"))
    #expect(run.text.hasPrefix("1 store, 1 session"))
  }

  @Test func aRehearsalShowsWhatWouldLeave() throws {
    let sample = try SampleStore(stalls: 3, sampled: true, timers: 1)
    let run = try Self.ship(sample.path, "--dry-run")
    #expect(run.exitCode == 0, "\(run.errorText)")
    let rows = try run.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    let tables = Set(rows.compactMap { $0["table"] as? String })
    #expect(tables == ["sessions", "activity", "stalls", "signatures", "stacks", "stack_times", "timers"])
    #expect(rows.count { $0["table"] as? String == "stalls" } == 5)
    let session = try #require(rows.first { $0["table"] as? String == "sessions" })
    #expect(session["command"] as? [String] == ["app"])
    #expect(session["host"] as? String == "")
    #expect(session["instance"] as? String == "0000000000000000")
    #expect(!run.text.contains("--fast"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: sample.directory.path) == ["sample.stallwatch"])
    let allowed = try Self.ship(sample.path, "--dry-run", "--allow", "arguments,hosts")
    #expect(allowed.text.contains("--fast"))
    #expect(allowed.text.contains("\"instance\":\"host\""))
  }
}
