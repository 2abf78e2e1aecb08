import StallwatchCore
import Testing

@testable import Stallwatch

/// Where the stall streams get their events.
struct StallBroadcastTests {
  private final class Store: Recorder {
    private let hasRoom: Bool

    init(hasRoom: Bool) { self.hasRoom = hasRoom }

    func take(_ record: Record) -> Bool { hasRoom }
  }

  private func records(of number: UInt32) -> [Record] {
    let loop = LoopID(rawValue: number)
    let stall = StallID(rawValue: UInt64(number))
    return [
      .loop(LoopRecord(id: loop, name: "worker \(number)", threadID: 1, isMain: false, startedNs: 0)),
      .mode(ModeRecord(loop: loop, index: 0, name: "mode", attachedNs: 0)),
      .stallBegan(
        StallBegan(
          id: stall, loop: loop, mode: 0, phase: .service, depth: 1, kind: .stall, startedNs: 0,
          detectedNs: 50 * .millisecond, annotations: [:])),
      .stallEnded(StallEnded(id: stall, state: .ended, duration: 60 * .millisecond, phase: .service, reason: nil)),
    ]
  }

  private func end(of number: UInt32) -> Record {
    .loopProgress(LoopProgress(loop: LoopID(rawValue: number), outside: 0, activities: 4, endedNs: 1))
  }

  @Test("keeps nothing of loops that have ended, also where the store has no room", arguments: [true, false])
  func forgets(hasRoom: Bool) {
    let broadcast = StallBroadcast(store: Store(hasRoom: hasRoom))
    for number in 1...1_000 as ClosedRange<UInt32> {
      for record in records(of: number) { #expect(broadcast.take(record) == hasRoom) }
      #expect(broadcast.kept == (1, 1, 0))
      _ = broadcast.take(end(of: number))
      #expect(broadcast.kept == (0, 0, 0))
    }
  }

  @Test("names a stall for its loop and mode")
  func names() async {
    let broadcast = StallBroadcast(store: Store(hasRoom: true))
    let stream = broadcast.stream()
    for number in 1...2 as ClosedRange<UInt32> {
      for record in records(of: number) { _ = broadcast.take(record) }
      _ = broadcast.take(end(of: number))
    }
    broadcast.finish()
    var names: [String] = []
    for await case .ended(let stall) in stream { names.append("\(stall.loop), \(stall.mode)") }
    #expect(names == ["worker 1, mode", "worker 2, mode"])
  }
}
