import Foundation
import StallwatchCore
import StallwatchStore
import TestPrograms
import Testing

@testable import StallwatchReport
@testable import StallwatchSymbols

/// Names that the store has, beside files that are there or gone.
@Suite(.serialized) struct RecordedNamesTests {
  private let directory: TestDirectory
  private let program: FixtureProgram
  private var store: String { directory.file("store.stallwatch") }

  init() throws {
    directory = try TestDirectory()
    program = try FixtureProgram(FixtureProgram.functions(), path: directory.file("loader"), in: directory)
    try record()
  }

  /// A store with a stall for each stack of the program.
  private func record() throws {
    let (start, loop) = (Nanoseconds(1_000 * Nanoseconds.second), LoopID(rawValue: 1))
    var configuration = StoreRecorder.Configuration()
    (configuration.openTimeout, configuration.closeTimeout) = (60 * .second, 60 * .second)
    let recorder = try StoreRecorder(
      path: store,
      session: SessionRecord(
        process: .current(), command: ["loader"], startedAt: 1_777_630_830 * .second, startedNs: start,
        threshold: 50 * .millisecond, origin: "embedded", platform: "linux x86_64"),
      configuration: configuration)
    recorder.take(.loop(LoopRecord(id: loop, name: "main", threadID: 4_711, isMain: true, startedNs: start)))
    recorder.take(.mode(ModeRecord(loop: loop, index: 0, name: "kCFRunLoopDefaultMode", attachedNs: start)))
    for image in program.images { recorder.take(.image(image)) }
    for (number, stack) in program.stacks.enumerated() {
      let (id, began) = (StallID(rawValue: UInt64(number + 1)), start + Nanoseconds(number + 1) * .second)
      recorder.take(
        .stallBegan(
          StallBegan(
            id: id, loop: loop, mode: 0, phase: .service, depth: 1, kind: .stall, startedNs: began,
            detectedNs: began + 50 * .millisecond)))
      let sample = StackSample(
        atNs: began, weight: 100 * .millisecond, activity: .running, frames: [0] + stack.addresses)
      recorder.take(.samples(StallSamples(stall: id, samples: [sample], cause: nil)))
      recorder.take(.stallEnded(StallEnded(id: id, state: .ended, duration: 100 * .millisecond, phase: .service)))
    }
    recorder.close(endedNs: start + 100 * .second)
  }

  private func frames(_ search: SymbolSearch = SymbolSearch()) throws -> (frames: [[Frame]], notes: [SymbolNote]) {
    let contents = try StoreReader(path: store)
    let stacks = StackReader(contents, search: search)
    let session = try #require(try contents.sessions().first).id
    return (try program.stacks.map { try stacks.frames([0] + $0.addresses, session: session) }, stacks.notes)
  }

  private func symbolize(_ search: SymbolSearch = SymbolSearch()) throws -> StoreSymbolizer.Outcome {
    let namer = try StoreNamer(store, checking: true)
    defer { namer.close() }
    return try StoreSymbolizer(namer, search: search).run()
  }

  @Test func aNamedStoreNeedsNoFile() throws {
    let before = try frames()
    let outcome = try symbolize()
    #expect(outcome.sessions == 1 && outcome.isComplete)
    #expect(outcome.new > 0 && outcome.named > 0)
    #expect(try frames().frames == before.frames)
    try FileManager.default.removeItem(atPath: program.path)
    // The program's own names have lines and inlined calls, and files of the system are there as before.
    let after = try frames()
    #expect(after.frames == before.frames)
    #expect(after.notes == before.notes)
    #expect(after.frames.joined().contains { $0.isInlined && $0.location?.line != nil })
    // What has names needs none.
    let again = try symbolize()
    #expect(again.new == 0 && again.named == outcome.named && again.unnamed == outcome.unnamed)
  }

  @Test func namesThatSayMoreTakeThePlaceOfOthers() throws {
    let whole = try frames().frames
    let kept = directory.file("kept")
    try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: program.path, toPath: "\(kept)/loader")
    let run = try TestRun.run(["/usr/bin/env", "llvm-objcopy", "--strip-debug", program.path])
    try #require(run.exitCode == 0, "\(run.errorText)")
    #expect(try symbolize().new > 0)
    let few = try frames().frames
    #expect(few.joined().allSatisfy { $0.location == nil })
    #expect(few.joined().contains { $0.name == "ImageStore.decode(_:)" })
    // A richer file counts for a reader, and a later run writes what it says.
    #expect(try frames(SymbolSearch(folders: [kept])).frames == whole)
    #expect(try symbolize(SymbolSearch(folders: [kept])).new > 0)
    try FileManager.default.removeItem(atPath: kept)
    #expect(try frames().frames == whole)
  }

  @Test func withoutAFileNothingIsNamedAndItSaysWhy() throws {
    try FileManager.default.removeItem(atPath: program.path)
    let outcome = try symbolize()
    #expect(outcome.unnamed > 0)
    #expect(outcome.notes.contains { $0.path == program.path && $0.obstacle == .missing })
  }

  @Test func theTimeIsBounded() throws {
    let namer = try StoreNamer(store, checking: false)
    let outcome = try StoreSymbolizer(namer, search: SymbolSearch()).run(until: .now - .seconds(1))
    namer.close()
    #expect(!outcome.isComplete && outcome.sessions == 0)
  }
}
