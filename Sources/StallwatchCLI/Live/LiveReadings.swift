import StallwatchFormats
import StallwatchReport
import StallwatchStore

/// Reads a store again when it has changed, and keeps readings of the last seconds to show what is new.
struct LiveReadings {
  private let path: String
  private let reading: StoreReading
  private var seen: StoreState?
  private var readAt: ContinuousClock.Instant?
  private var cost = Duration.zero
  private var earlier: [(at: ContinuousClock.Instant, reading: LiveReading)] = []
  /// The last reading, compared with one some seconds older.
  private(set) var view: LiveView

  /// Reads at most four times a second: nobody reads faster.
  private static let leastInterval = Duration.milliseconds(250)
  /// Spends at most a tenth of the time on reading.
  private static let costFactor = 10
  /// Reads again after this time even without a change, because a killed process changes nothing in its store.
  private static let longestInterval = Duration.seconds(2)
  /// The view calls new what came within this time.
  private static let span = Duration.seconds(3)

  /// Reads the store at `path` for the first time. Throws what reading throws.
  init(path: String, reading: StoreReading) throws {
    (self.path, self.reading) = (path, reading)
    view = LiveView(try Self.read(path, reading), since: nil)
    seen = StoreState(path: path)
    readAt = .now
    earlier = [(.now, view.reading)]
  }

  /// Reads again if it is time and the store may have changed. Returns whether it did. Throws what reading throws.
  mutating func refresh() throws -> Bool {
    let now = ContinuousClock.now
    let since = readAt.map { $0.duration(to: now) } ?? Self.longestInterval
    guard since >= max(Self.leastInterval, cost * Self.costFactor) else { return false }
    let state = StoreState(path: path)
    guard state != seen || (view.reading.isRecording && since >= Self.longestInterval) else { return false }
    readAt = now
    let reading = try Self.read(path, self.reading)
    cost = now.duration(to: .now)
    seen = state
    earlier.append((now, reading))
    // Keep one reading older than the span, to compare with.
    while earlier.count > 2, earlier[1].at.duration(to: now) >= Self.span { earlier.removeFirst() }
    view = LiveView(reading, since: earlier.first?.reading)
    return true
  }

  /// The stall in this row, in detail; nil when there is none. Throws what reading throws.
  func detail(of stall: Int64) throws -> StallDetail? {
    try StoreReader.undisturbed {
      let reader = try reading.reader(of: StoreReader(path: path), path: path)
      return try StallExaminer(reader, search: reading.search).examine(stall)
    }
  }

  private static func read(_ path: String, _ reading: StoreReading) throws -> LiveReading {
    try StoreReader.undisturbed {
      try LiveReading(reading.reader(of: StoreReader(path: path), path: path), search: reading.search)
    }
  }
}
