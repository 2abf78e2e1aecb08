import Foundation
import Synchronization

/// Gives the loops their holds and timers as planned, from the main thread, and tells what was done.
final class Soak: Sendable {
  private let loops: [SoakLoop]
  private let plan: Mutex<Planned>
  private let reported = Mutex<[String]>([])
  private let began = SoakLoop.now()
  private let lengthNs: UInt64

  private struct Planned {
    var plan: SoakPlan
    var hold: SoakPlan.Hold
    var timer: (at: UInt64, loop: Int)
  }

  init(_ plan: SoakPlan, seconds: Int, loops: [SoakLoop]) {
    var plan = plan
    let (hold, timer) = (plan.nextHold(), plan.nextTimer())
    self.plan = Mutex(Planned(plan: plan, hold: hold, timer: timer))
    self.loops = loops
    lengthNs = UInt64(seconds) * 1_000_000_000
  }

  /// Whether all is done: holds are over some seconds before the end, so that their rows are complete.
  var isOver: Bool { SoakLoop.now() - began >= lengthNs }

  /// Begins what is due by now.
  func catchUp() {
    let elapsed = SoakLoop.now() - began
    plan.withLock { next in
      while next.hold.at <= elapsed, next.hold.at + Self.quietEnd < lengthNs {
        begin(next.hold)
        next.hold = next.plan.nextHold()
      }
      while next.timer.at <= elapsed, next.timer.at + Self.quietEnd < lengthNs {
        loops[next.timer.loop].addTimer()
        next.timer = next.plan.nextTimer()
      }
    }
    report()
  }

  private func begin(_ hold: SoakPlan.Hold) {
    loops[hold.loop].hold(hold) { [self] began, ended in
      let how = hold.computes ? "computing" : "blocked"
      reported.withLock {
        $0.append(
          "{\"hold\":\(hold.number),\"loop\":\"loop \(hold.loop)\",\"how\":\"\(how)\",\"began_ns\":\(began),"
            + "\"ended_ns\":\(ended)}")
      }
    }
  }

  /// Prints what came to an end since the last call.
  func report() {
    let lines = reported.withLock { lines in
      defer { lines.removeAll(keepingCapacity: true) }
      return lines
    }
    guard !lines.isEmpty else { return }
    for line in lines { print(line) }
    fflush(nil)
  }

  /// Nanoseconds.
  private static let quietEnd: UInt64 = 3_000_000_000
}
