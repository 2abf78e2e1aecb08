import Foundation
import Stallwatch

/// Makes things at an even rate. On the main thread, but for what the threads do.
final class Maker: @unchecked Sendable {
  private let seconds: Double
  private let goals: (timers: Int, threads: Int, annotations: Int)
  private let monitor: Monitor
  private let began = DispatchTime.now().uptimeNanoseconds
  private var timers = 0
  private var threads = 0
  private var annotations = 0

  init(seconds: Int, timers: Int, threads: Int, annotations: Int, _ monitor: Monitor) {
    self.seconds = Double(seconds)
    goals = (timers, threads, annotations)
    self.monitor = monitor
  }

  private var elapsed: Double { Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9 }

  var isDone: Bool {
    timers == goals.timers && threads == goals.threads && annotations == goals.annotations && elapsed >= seconds
  }

  /// Makes what is due by now.
  func catchUp() {
    let share = min(elapsed / seconds, 1)
    while timers < Int(share * Double(goals.timers)) {
      timers += 1
      let timer = Timer(timeInterval: 0.001, repeats: true) { $0.invalidate() }
      RunLoop.main.add(timer, forMode: .default)
    }
    while threads < Int(share * Double(goals.threads)) {
      threads += 1
      startThread()
    }
    while annotations < Int(share * Double(goals.annotations)) {
      annotations += 1
      monitor.annotate("key \(annotations % 100)", "value \(annotations)")
    }
  }

  private func startThread() {
    let thread = Thread {
      let timer = Timer(timeInterval: 0.002, repeats: true) { $0.invalidate() }
      RunLoop.current.add(timer, forMode: .default)
      while timer.isValid { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
    }
    thread.stackSize = 256 * 1_024
    thread.start()
  }

  func tell() {
    print("{\"timers\":\(timers),\"threads\":\(threads),\"annotations\":\(annotations)}")
    fflush(nil)
  }
}
