import StallwatchCore
import StallwatchStore

/// Fits a straight line to points by least squares.
struct LineFit {
  private var count = 0.0
  private var (sumX, sumY, sumXX, sumXY) = (0.0, 0.0, 0.0, 0.0)

  mutating func add(_ x: Double, _ y: Double) {
    count += 1
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
  }

  /// Adds the served ticks of a window, as points in the time since `start`.
  mutating func add(_ window: TickWindow, start: Nanoseconds) {
    let (first, last) = (window.first, window.last)
    let steps = Double(last.number.since(first.number))
    let interval = steps > 0 ? Double(last.dueNs.since(first.dueNs)) / steps : 0
    let (many, lateness) = (Double(window.runLoop.count), Double(window.runLoop.total))
    let (begin, sum) = (Double(first.dueNs.since(start)), Double(window.steps.total) * interval)
    count += many
    sumX += many * begin + sum
    sumY += lateness
    sumXX += many * begin * begin + 2 * begin * sum + Double(window.steps.squares) * interval * interval
    sumXY += begin * lateness + Double(window.steps.lateness) * interval
  }

  mutating func merge(_ other: LineFit) {
    count += other.count
    sumX += other.sumX
    sumY += other.sumY
    sumXX += other.sumXX
    sumXY += other.sumXY
  }

  var slope: Double? {
    let spread = count * sumXX - sumX * sumX
    return count > 1 && spread > 0 ? (count * sumXY - sumX * sumY) / spread : nil
  }
}
