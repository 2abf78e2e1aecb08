import Foundation
import Stallwatch

let monitor = try Monitor.start(Configuration(store: "app.stallwatch"))
monitor.annotate("screen", "Settings")

Task.detached {
  for await case .ended(let stall) in monitor.stalls {
    print("\(stall.loop) was held for \(stall.duration)", stall.annotations)
  }
}

// Your program. This one holds its main loop once, for 120 ms.
let timer = Timer(timeInterval: 0.1, repeats: false) { _ in usleep(120_000) }
RunLoop.main.add(timer, forMode: .default)
RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.5))

monitor.stop()
