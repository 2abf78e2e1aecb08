import StallwatchCore
import StallwatchReport
import StallwatchStore

/// Reads one session of a store into rows, hour by hour. However long the recording, it keeps only the current hours
/// and one stall in memory. For one thread at a time.
final class SessionExtraction {
  private let store: StoreReader
  private let session: StoredSession
  private let range: ExtractionRange
  private let version: UInt64
  private let isNew: (_ number: UInt64, _ at: UInt64) -> Bool
  private let sink: (ExtractedRow) throws -> Void
  private let labels: CompleteLabels
  private let origin: RowOrigin
  private let grid: HourGrid
  private let lanes: [Int64: StoredLoop]
  private let stacks: StackReader<StoreReader>
  private var causes: StallCauses
  private var stackTimes: StackTimes
  /// The hours that are not finished, with the figures of lanes by their rows in the store.
  private var hours: [UInt64: [Int64: LaneHour]] = [:]
  /// The end of the known time of each lane.
  private var known: [Int64: Nanoseconds] = [:]
  /// The causes seen in the current hour, and those whose names were passed on.
  private var seenCauses: Set<String> = []
  private var namedCauses: Set<String> = []
  /// The highest number of a stall, and the lowest number of a stall that is not over.
  private var lastStall: UInt64
  private var openStall: UInt64?

  init(
    _ session: StoredSession, of store: StoreReader, stacks: StackReader<StoreReader>, from range: ExtractionRange,
    version: UInt64, isNew: ((_ number: UInt64, _ at: UInt64) -> Bool)?,
    sink: @escaping (ExtractedRow) throws -> Void
  ) throws {
    (self.session, self.store, self.stacks, self.range) = (session, store, stacks, range)
    (self.version, self.sink) = (version, sink)
    self.isNew = isNew ?? { number, _ in number > range.stall }
    labels = try store.labels(of: session)
    (origin, grid) = (RowOrigin(session, labels), HourGrid(session))
    lanes = Dictionary(
      try store.loops(session: session.id).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    causes = StallCauses(session: session.id, stacks: stacks)
    stackTimes = StackTimes(session: session.id, stacks: stacks)
    lastStall = range.stall
  }

  /// Reads everything in the range. Returns the range to read next time.
  func run(removals: [Removed]) throws -> ExtractionRange {
    try readHours()
    for report in causes.reports() {
      try sink(.signature(SignatureRow(report, service: origin.service, version: version)))
    }
    let timers = try SessionTimers(origin, session, in: store, stacks: stacks, lanes: lanes, version: version)
    for row in timers.all { try sink(.timer(row)) }
    try sink(.session(try SessionRow(origin, session, labels, in: store, removals: removals, version: version)))
    return ExtractionRange(hour: nextHour, stall: openStall.map { $0 - 1 } ?? lastStall)
  }

  /// The first hour that may still change: the last one, or the one in which a lane that rests went to sleep.
  private var nextHour: UInt64 {
    let last = grid.hour(of: session.lastSeenNs)
    let resting = lanes.values.filter { $0.endedNs == nil }.map { lane in
      grid.hour(of: known[lane.id] ?? lane.record.startedNs)
    }
    return max(min(resting.min() ?? last, last), last - min(ExtractionRange.mostRest, last), range.hour)
  }

  private func readHours() throws {
    let from = grid.start(of: range.hour)
    let live = store.liveWindows(session: session.id)
    for window in live.time { add(window) }
    for window in live.metrics where [.span, .waiting].contains(window.metric) { add(window) }
    let first = [try store.firstStall(session: session.id, after: range.stall), from].compactMap(\.self).min() ?? from
    let windows = Heading(try store.windows(session: session.id, endingAfter: from))
    let metrics = Heading(try store.metricWindows(session: session.id, of: [.span, .waiting], endingAfter: from))
    let stalls = Heading(try store.stalls(session: session.id, from: first))
    try windows.advance()
    try metrics.advance()
    try stalls.advance()
    while true {
      let starts = [windows.head?.startedNs, metrics.head?.startedNs, stalls.head?.stall.began.startedNs]
      let next = starts.compactMap { $0.map(grid.hour) } + [hours.keys.min()].compactMap(\.self)
      guard let hour = next.min() else { return }
      let end = grid.end(of: hour)
      while let window = windows.head, window.startedNs < end {
        add(window)
        try windows.advance()
      }
      while let window = metrics.head, window.startedNs < end {
        add(window)
        try metrics.advance()
      }
      while let (stall, samples) = stalls.head, stall.began.startedNs < end {
        try add(stall, samples, in: hour)
        try stalls.advance()
      }
      try close(hour)
    }
  }

  private func add(_ window: StoredWindow) {
    known[window.loop] = max(known[window.loop] ?? 0, window.startedNs.saturatingAdd(window.length))
    grid.spread(window) { hour, part in
      if hour >= range.hour { hours[hour, default: [:]][window.loop, default: LaneHour()].add(part) }
    }
  }

  /// A window counts in the hour in which it ended, or ends so far.
  private func add(_ window: StoredMetricWindow) {
    if window.metric == .waiting, lanes[window.loop]?.record.kind.isOfItems != true { return }
    let end = window.startedNs.saturatingAdd(max(window.length, 1)) - 1
    let hour = grid.hour(of: max(window.startedNs, min(end, session.lastSeenNs)))
    if hour >= range.hour { hours[hour, default: [:]][window.loop, default: LaneHour()].add(window) }
  }

  private func add(_ stall: StoredStall, _ samples: [BriefSample], in hour: UInt64) throws {
    let number = stall.began.id.rawValue
    lastStall = max(lastStall, number)
    if stall.state == .began { openStall = min(openStall ?? number, number) }
    let at = session.wallClock(at: stall.began.startedNs)
    let isNew = stall.state != .began && isNew(number, at)
    guard isNew || hour >= range.hour else { return }
    let cause = try causes.take(stall, samples)
    if let cause { seenCauses.insert(cause.signature.key) }
    let lane = lanes[stall.loop]
    if isNew {
      let laneName = lane?.record.name ?? Figure.unknown
      try sink(.stall(StallRow(origin, stall, at: at, laneName: laneName, cause: cause, version: version)))
    }
    guard hour >= range.hour, stall.state != .cancelled else { return }
    let isMain = lane?.record.isMain == true
    hours[hour, default: [:]][stall.loop, default: LaneHour()]
      .add(stall, at: at, isMain: isMain, signature: cause?.signature.key)
    if stall.began.kind == .away, isMain { addAway(stall) }
    try stackTimes.add(samples, signature: cause?.signature.key ?? "") { stack, frames in
      try sink(.stack(StackRow(service: origin.service, stack: stack, frames: frames, version: version)))
    }
  }

  private func addAway(_ stall: StoredStall) {
    let away = StoredWindow(
      loop: stall.loop, mode: 0, startedNs: stall.began.startedNs, length: stall.duration, outside: stall.duration)
    grid.spread(away) { hour, part in
      if hour >= range.hour { hours[hour, default: [:]][stall.loop, default: LaneHour()].add(away: part.outside) }
    }
  }

  /// Passes on the names of new causes before the rows that use them, in case the reading is broken off. At the end
  /// they are passed on again, when it is known at which line their function was most of the time.
  private func nameCauses() throws {
    defer { seenCauses = [] }
    guard !seenCauses.isSubset(of: namedCauses) else { return }
    namedCauses.formUnion(seenCauses)
    for report in causes.reports() where seenCauses.contains(report.signature.key) {
      try sink(.signature(SignatureRow(report, service: origin.service, version: version)))
    }
  }

  /// Passes on the rows of an hour.
  private func close(_ hour: UInt64) throws {
    try nameCauses()
    let times = stackTimes.taken()
    if !times.isEmpty {
      let start = UInt32(startOfHour: hour)
      try sink(.stackTimes(StackTimesRow(origin: origin, hour: start, times: times, version: version)))
    }
    guard let done = hours.removeValue(forKey: hour) else { return }
    for (row, figures) in done.sorted(by: { $0.key < $1.key }) {
      guard let lane = lanes[row]?.record else { continue }
      try sink(
        .activity(
          figures.row(origin, hour: hour, lane: lane, threshold: session.record.threshold, version: version)))
    }
  }
}

/// A cursor that shows the next row before it moves on.
private final class Heading<Element> {
  private let cursor: StoreCursor<Element>
  private(set) var head: Element?

  init(_ cursor: StoreCursor<Element>) { self.cursor = cursor }

  func advance() throws { head = try cursor.next() }
}
