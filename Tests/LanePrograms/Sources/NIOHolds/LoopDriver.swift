import Foundation
import NIOCore
import NIOPosix

/// Holds one event loop by a plan, from a thread that serves none.
final class LoopDriver: Sendable {
  private static let shortTasks: UInt64 = 10
  private let loop: any EventLoop
  private let thread: LoopThread
  private let steps: [HoldStep]
  private let truth: Truth
  private let client: EchoClient
  private let actor: LoopActor

  /// Starts a server on the loop and connects to it.
  init(_ loop: any EventLoop, steps: [HoldStep], _ truth: Truth) throws {
    (self.loop, self.steps, self.truth) = (loop, steps, truth)
    let thread = try loop.submit { LoopThread() }.wait()
    self.thread = thread
    actor = LoopActor(loop)
    client = try EchoClient(
      port: startEchoServer(on: loop) { truth.record(steps[$0], on: thread) { parseRequest($0) } })
  }

  /// Takes the loop through the plan. Returns when that is done.
  func run() {
    for (place, step) in steps.enumerated() {
      usleep(UInt32(step.pause / 1_000))
      thread.awaitWait()
      truth.recordDelay(of: thread)
      let done = DispatchSemaphore(value: 0)
      perform(step, at: place) { done.signal() }
      done.wait()
    }
  }

  private func perform(_ step: HoldStep, at place: Int, _ done: @escaping @Sendable () -> Void) {
    let (truth, thread) = (truth, thread)
    switch step.way {
    case .channelRead:
      client.askFor(place)
      done()
    case .scheduledTask:
      loop.scheduleTask(in: .milliseconds(5)) {
        truth.record(step, on: thread) { expireSessions($0) }
        done()
      }
    case .execute:
      loop.execute {
        truth.record(step, on: thread) { compressLog($0) }
        done()
      }
    case .flatMap:
      let asked = loop.makePromise(of: Int.self)
      let user = asked.futureResult.flatMap { [loop] number in
        truth.record(step, on: thread) { decodeUser($0) }
        return loop.makeSucceededFuture(number)
      }
      user.whenSuccess { _ in done() }
      asked.succeed(step.number)
    case .actor:
      Task { [actor] in
        await actor.serve { truth.record(step, on: thread) { updateCache($0) } }
        done()
      }
    case .manyTasks:
      loop.execute { [loop] in
        let start = thread.now
        for number in 1...Self.shortTasks {
          loop.execute {
            answerOneOfMany(step, of: Self.shortTasks)
            guard number == Self.shortTasks else { return }
            truth.record(step, on: thread, since: start)
            done()
          }
        }
      }
    }
  }
}

/// An actor whose jobs an event loop serves.
private actor LoopActor {
  nonisolated let unownedExecutor: UnownedSerialExecutor

  init(_ loop: any EventLoop) { unownedExecutor = loop.executor.asUnownedSerialExecutor() }

  func serve(_ item: @Sendable () -> Void) { item() }
}
