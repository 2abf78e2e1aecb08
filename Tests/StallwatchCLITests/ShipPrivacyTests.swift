import Foundation
import StallwatchCore
import StallwatchStore
import TestPrograms
import Testing

/// What `ship` would send of a store into which secrets were planted.
@Suite(.serialized) struct ShipPrivacyTests {
  private static let host = "db-7.corp.example"
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  private func store() throws -> String {
    let path = directory.file("secret.stallwatch")
    let start = 1_000 * Nanoseconds.second
    var session = SessionRecord(
      process: .current(), command: ["/home/jane/bin/app", "--token=hunter2", "jane@corp.example"],
      startedAt: 1_777_630_830 * .second, startedNs: start, threshold: 50 * .millisecond, origin: "embedded",
      platform: "linux x86_64")
    session.process.host = Self.host
    session.labels.tags = ["owner": "jane@corp.example", "node": Self.host]
    var configuration = StoreRecorder.Configuration()
    (configuration.openTimeout, configuration.closeTimeout) = (60 * .second, 60 * .second)
    let recorder = try StoreRecorder(path: path, session: session, configuration: configuration)
    let (lane, stall) = (LoopID(rawValue: 1), StallID(rawValue: 1))
    recorder.take(
      .loop(LoopRecord(id: lane, name: "mail of jane on db-7", threadID: 11, isMain: true, startedNs: start)))
    recorder.take(.mode(ModeRecord(loop: lane, index: 0, name: "/home/jane/mode", attachedNs: start)))
    recorder.take(
      .timer(
        TimerRecord(
          id: TimerID(rawValue: 1), loop: lane, name: "poll jane@corp.example", kind: .runLoop, origin: 0x5001,
          interval: .second, tolerance: 0, modes: ["/home/jane/mode"], madeNs: start)))
    recorder.take(
      .stallBegan(
        StallBegan(
          id: stall, loop: lane, mode: 0, phase: .service, depth: 1, kind: .stall, startedNs: start + .second,
          detectedNs: start + .second + 50 * .millisecond, annotations: ["screen": "Noted by jane@corp.example"])))
    let sample = StackSample(
      atNs: start + .second + 51 * .millisecond, weight: 9 * .millisecond, activity: .blocked, frames: [0x5000],
      blockedOn: BlockedOn(systemCall: "openat", target: "/home/jane/ledger.db"))
    recorder.take(
      .samples(
        StallSamples(
          stall: stall, samples: [sample],
          cause: StallCause(running: 0, blocked: 9 * .millisecond, starved: 0))))
    recorder.take(.stallEnded(StallEnded(id: stall, state: .ended, duration: 80 * .millisecond, phase: .service)))
    recorder.close(endedNs: start + 10 * .second)
    return path
  }

  private func rows(_ options: [String]) throws -> String {
    let run = try TestRun.run(
      [Built.product("stallwatch"), "ship", try store(), "--dry-run"] + options)
    #expect(run.exitCode == 0, "\(run.errorText)")
    return run.text
  }

  @Test func nothingThatIsSomebodysLeavesByItself() throws {
    let text = try rows([])
    for secret in ["jane", "hunter2", "db-7", "corp.example", "Noted", "screen", "ledger.db"] {
      #expect(!text.contains(secret), "\(secret)")
    }
    for kept in ["app", "openat", "poll <e-mail>", "mail of <user> on <host>"] {
      #expect(text.contains(kept), "\(kept)")
    }
  }

  @Test(arguments: [
    ("arguments", "hunter2"), ("hosts", Self.host), ("annotations", "Noted by <e-mail>"), ("targets", "~/ledger.db"),
    ("paths", "/home/jane/mode"),
  ])
  func whatIsAllowedLeaves(allowed: String, text: String) throws {
    let secrets = ["hunter2", Self.host, "Noted", "ledger.db", "/home/jane"]
    let found = try rows(["--allow", allowed])
    #expect(found.contains(text))
    for secret in secrets where !text.contains(secret) { #expect(!found.contains(secret), "\(allowed): \(secret)") }
  }

  @Test func theHelpListsWhatIsKeptBack() throws {
    let help = try TestRun.run([Built.product("stallwatch"), "ship", "--help"]).text
    for kind in ["arguments ", "hosts ", "annotations ", "targets ", "paths "] { #expect(help.contains("  \(kind)")) }
    #expect(help.contains("e-mail addresses in any text"))
  }
}
