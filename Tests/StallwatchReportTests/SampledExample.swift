import StallwatchCore
import TestPrograms

@testable import StallwatchFormats
@testable import StallwatchReport
@testable import StallwatchStore

/// A recording with samples, whose functions are those of a real program: two stalls of the main loop in one cause, one in
/// another, one without samples.
struct SampledExample {
  let directory: TestDirectory
  let program: FixtureProgram
  var contents = HandMadeContents()

  /// Compiles the program and makes the recording.
  init() throws {
    directory = try TestDirectory()
    program = try FixtureProgram(FixtureProgram.functions(), path: directory.file("loader"), in: directory)
    contents.addSession()
    contents.addLoop(iterations: 10, samples: [.service: [.millisecond], .span: [.millisecond]])
    contents.storedImages[1] = program.images
    let blocked = BlockedOn(
      systemCall: "fsync", target: "/var/cache/cache.db",
      owner: LockOwner(threadID: 4_711, name: "writer", frames: try program.stack("closure").addresses))
    let decode = try program.stack("inlined").addresses
    let cause = StallCause(running: 60 * .millisecond, blocked: 700 * .millisecond, starved: 0)
    contents.addStall(
      id: 1, duration: 812 * .millisecond, at: .second, annotations: ["screen": "Import"], cause: cause)
    contents.storedSamples[1] = (0..<10).map { index in
      StackSample(
        atNs: began(1) + (50 + 76 * Nanoseconds(index)) * .millisecond, weight: 76 * .millisecond,
        activity: index == 0 ? .running : .blocked, frames: decode, blockedOn: index == 0 ? nil : blocked)
    }
    contents.addStall(id: 2, duration: 90 * .millisecond, at: 3 * .second, cause: cause)
    contents.storedSamples[2] = [
      StackSample(
        atNs: began(2) + 50 * .millisecond, weight: 40 * .millisecond, activity: .blocked, frames: decode,
        blockedOn: blocked)
    ]
    let running = StallCause(running: 10 * .millisecond, blocked: 0, starved: 90 * .millisecond)
    contents.addStall(id: 3, duration: 150 * .millisecond, at: 5 * .second, cause: running)
    contents.storedSamples[3] = [
      StackSample(
        atNs: began(3) + 50 * .millisecond, weight: 100 * .millisecond, activity: .starved,
        frames: try program.stack("nested closure").addresses),
      StackSample(atNs: began(3) + 140 * .millisecond, weight: 10 * .millisecond, activity: .running, frames: []),
    ]
    contents.addStall(id: 4, duration: 60 * .millisecond, at: 7 * .second)
    contents.addStall(id: 5, duration: 400 * .millisecond, at: 8 * .second, state: .cancelled, reason: "stopped")
    contents.storedSamples[5] = contents.storedSamples[2]
    contents.storedProfiles[1] = [
      ProfiledStack(loop: LoopID(rawValue: 1), frames: decode, count: 90, weight: 900 * .millisecond),
      ProfiledStack(
        loop: LoopID(rawValue: 1), frames: try program.stack("map").addresses, count: 10, weight: 100 * .millisecond),
    ]
  }

  /// The detail of a stall. The program is there until then.
  func detail(_ id: Int64) throws -> StallDetail? {
    try withExtendedLifetime(directory) { try StallExaminer(contents).examine(id) }
  }

  /// The report on all of it.
  func report() throws -> Report { try withExtendedLifetime(directory) { try contents.report() } }

  /// What an export in that format writes.
  func export(_ format: ExportFormat) throws -> String {
    try withExtendedLifetime(directory) {
      var text = ""
      try StoreExport(contents).write(format) { text += $0 }
      return text
    }
  }

  private func began(_ second: Nanoseconds) -> Nanoseconds { HandMadeContents.start + (2 * second - 1) * .second }
}
