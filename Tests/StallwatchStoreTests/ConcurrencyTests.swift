import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("Several writers of one store")
struct ConcurrencyTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("store.db") }

  @Test("in several processes, beginning at once, lose nothing and leave one file")
  func processes() throws {
    let processes = try (0..<4).map { _ in try #require(Tool.start(try StoreWriterProgram.path, [path, "50"])) }
    for process in processes { process.waitUntilExit() }
    #expect(processes.map(\.terminationStatus) == [0, 0, 0, 0])
    let reader = try StoreReader(path: path)
    let sessions = try reader.sessions()
    #expect(sessions.map(\.ended) == [.clean, .clean, .clean, .clean])
    for session in sessions {
      let loop = try #require(try reader.loops(session: session.id).first)
      #expect(try reader.modes(loop: loop.id).first?.metrics[.span]?.count == 50)
      #expect(try reader.health(session: session.id).losses.isEmpty)
    }
    #expect(try reader.stallTotals().map(\.count) == [50, 50, 50, 50])
    #expect(!folder.contents.keys.contains("store.db-wal"))
  }

  @Test("in one process keep their sessions apart")
  func recorders() throws {
    let recorders = try (0..<3).map { _ in
      try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    }
    for (number, recorder) in recorders.enumerated() {
      recorder.take(Sample.loop(name: "loop \(number)"))
      recorder.take(Sample.mode())
    }
    for round in 1...20 as ClosedRange<UInt64> {
      for recorder in recorders {
        recorder.take(Sample.began(round, at: round * .second))
        recorder.take(Sample.ended(round, duration: 60 * .millisecond))
      }
    }
    for recorder in recorders { recorder.close(endedNs: Sample.start + 99 * .second) }
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().map(\.ended) == [.clean, .clean, .clean])
    #expect(try reader.stallTotals().map(\.count) == [20, 20, 20])
    #expect(Array(folder.contents.keys) == ["store.db"])
  }

  @Test("do not disturb each other when one closes: the log stays until the last has gone")
  func closing() throws {
    let first = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    let second = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    first.close(endedNs: Sample.start)
    second.take(Sample.loop())
    #expect(second.flush(timeout: 30 * .second))
    #expect(try StoreReader(path: path).loops(session: 2).count == 1)
    second.close(endedNs: Sample.start)
    #expect(Array(folder.contents.keys) == ["store.db"])
  }
}
