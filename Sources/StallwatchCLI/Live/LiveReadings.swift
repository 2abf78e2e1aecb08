import StallwatchReport
import StallwatchStore

/// Reads a store again when it has changed, and keeps what it read some seconds ago to tell what is new.
struct LiveReadings {
  private let path: String
  private let search: SymbolSearch
  private var seen: StoreState?
  private var readAt: ContinuousClock.Instant?
  private var cost = Duration.zero
  private var earlier: [(at: ContinuousClock.Instant, reading: LiveReading)] = []
  /// The last reading, compared with one of some seconds before.
  private(set) var view: LiveView

  /// At most four a second: more nobody reads.
  private static let leastInterval = Duration.milliseconds(250)
  /// At most a tenth of the time goes into reading.
  private static let costFactor = 10
  /// A process that was killed changes nothing: its recording is looked at again all the same.
  private static let longestInterval = Duration.seconds(2)
  /// What is new is what came in this time.
  private static let span = Duration.seconds(3)

  /// Reads the store at `path` for the first time. Throws what that throws.
  init(path: String, search: SymbolSearch) throws {
    self.path = path
    self.search = search
    let reading = try StoreReader.undisturbed { try LiveReading(StoreReader(path: path), search: search) }
    view = LiveView(reading, since: nil)
    seen = StoreState(path: path)
    readAt = .now
    earlier = [(.now, view.reading)]
  }

  /// Reads again if there may be something new, and it is time. Returns whether it did. Throws what reading throws.
  mutating func refresh() throws -> Bool {
    let now = ContinuousClock.now
    let since = readAt.map { $0.duration(to: now) } ?? Self.longestInterval
    guard since >= max(Self.leastInterval, cost * Self.costFactor) else { return false }
    let state = StoreState(path: path)
    guard state != seen || (view.reading.isRecording && since >= Self.longestInterval) else { return false }
    readAt = now
    let reading = try StoreReader.undisturbed { try LiveReading(StoreReader(path: path), search: search) }
    cost = now.duration(to: .now)
    seen = state
    earlier.append((now, reading))
    // One older than the span is kept, to compare with.
    while earlier.count > 2, earlier[1].at.duration(to: now) >= Self.span { earlier.removeFirst() }
    view = LiveView(reading, since: earlier.first?.reading)
    return true
  }
}
