import StallwatchCore
import Synchronization

/// Measures the CPU time of looks at held threads, for benches. The watchdog's thread measures, any thread reads.
final class LookCosts: Sendable {
  private let measures: Bool
  private let costs = Mutex<[Nanoseconds]>([])

  init(measures: Bool) { self.measures = measures }

  /// The CPU time of each look so far, in their order; none unless it measures.
  var all: [Nanoseconds] { costs.withLock { $0 } }

  /// Measures a look, unless `look` returns that there was none.
  func measure(_ look: () -> Bool) {
    let before = measures ? Platform.threadCPU() : 0
    guard look(), measures else { return }
    let cost = Platform.threadCPU().since(before)
    costs.withLock { $0.append(cost) }
  }
}
