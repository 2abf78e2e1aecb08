import StallwatchCore

/// Puts the pieces of a live region together again. Trusts none of them: anybody may have written the file.
struct LiveAssembly {
  /// A piece's bytes, and the number of its block: the later one of two counts.
  private struct Piece {
    var sequence: UInt64
    var reader: LiveReader
  }

  /// The session's start.
  private let origin: Nanoseconds
  private var pieces: [LiveKey: Piece] = [:]

  init(from origin: Nanoseconds) { self.origin = origin }

  /// Adds the pieces of a block; a block that does not consist of pieces has none.
  mutating func add(_ block: LiveBlock.Contents) {
    var reader = LiveReader(block.bytes)
    var found: [(LiveKey, LiveReader)] = []
    while !reader.isAtEnd {
      guard let key = try? LiveKey(&reader, from: origin), let body = try? reader.piece() else { return }
      found.append((key, body))
    }
    for (key, body) in found where pieces[key].map({ $0.sequence < block.sequence }) ?? true {
      pieces[key] = Piece(sequence: block.sequence, reader: body)
    }
  }

  /// The figures, after so many closings. A piece that makes no sense is left out.
  func figures(closings: Int64) -> LiveFigures {
    var figures = LiveFigures(closings: closings)
    var modes: [Int64: LiveFigures.Mode] = [:]
    var timers: [Int64: LiveFigures.Timer] = [:]
    var covered: (mode: Int64, end: UInt64)?
    // Parts of a histogram come in their order.
    for (key, piece) in pieces.sorted(by: { $0.key.order < $1.key.order }) {
      var reader = piece.reader
      try? take(key, &reader, &figures, &modes, &timers, &covered)
    }
    figures.modes = modes.values.sorted { $0.row < $1.row }
    figures.timers = timers.values.sorted { $0.row < $1.row }
    return figures
  }

  private func take(
    _ key: LiveKey, _ reader: inout LiveReader, _ figures: inout LiveFigures, _ modes: inout [Int64: LiveFigures.Mode],
    _ timers: inout [Int64: LiveFigures.Timer], _ covered: inout (mode: Int64, end: UInt64)?
  ) throws(LiveReader.Unfit) {
    switch key.kind {
    case .session:
      figures.windowsWritten = try reader.row()
      (figures.timersFromNs, figures.lastSeenNs) = (try reader.time(), try reader.time())
      figures.health = try reader.optional { reader throws(LiveReader.Unfit) in try reader.health() }
    case .watchdogLateness: figures.health?.lateness.append(try reader.histogram(isFirst: key.part == 0))
    case .loop:
      figures.loops.append(
        LiveFigures.Loop(row: key.row, outside: try reader.time(), activities: try reader.time()))
    case .window:
      let loop = try reader.row()
      let count = try reader.time()
      let window = try reader.timeWindow(from: origin)
      // One that was joined stands for those that follow it.
      if let (mode, end) = covered, mode == key.row, key.number < end { return }
      covered = (key.row, key.number.saturatingAdd(count))
      modes[key.row, default: LiveFigures.Mode(row: key.row, loop: loop, windows: [], metrics: [])].windows
        .append(window)
    case .metrics:
      let (loop, length) = (try reader.row(), try reader.roundTime())
      var window = MetricSeries.Window(startedNs: key.number, length: length)
      window.metrics = try reader.metrics()
      modes[key.row, default: LiveFigures.Mode(row: key.row, loop: loop, windows: [], metrics: [])].metrics
        .append(window)
    case .metric:
      let (loop, length) = (try reader.row(), try reader.roundTime())
      let samples = try reader.histogram(isFirst: key.part == 0)
      guard key.metric < Metric.count else { throw LiveReader.Unfit() }
      modes[key.row, default: LiveFigures.Mode(row: key.row, loop: loop, windows: [], metrics: [])]
        .add(samples, isFirst: key.part == 0, to: Int(key.metric), at: key.number, length: length)
    case .timer: timers[key.row] = try reader.timer(row: key.row)
    case .timerLateness: timers[key.row]?.figures.lateness.append(try reader.histogram(isFirst: key.part == 0))
    case .ticks:
      let window = try reader.tickWindow(startedNs: key.number)
      if figures.ticks.last?.loop != key.row { figures.ticks.append(LiveFigures.Ticks(loop: key.row, windows: [])) }
      figures.ticks[figures.ticks.count - 1].windows.append(window)
    }
  }
}

extension LiveKey {
  /// Orders keys by kind, row, number, metric and part; a window's metrics one by one follow all of them.
  fileprivate var order: (UInt8, Int64, UInt64, Int) {
    guard kind == .metric else { return (kind.rawValue, row, number, Int(part)) }
    return (Kind.metrics.rawValue, row, number, (1 + Int(metric)) << 8 | Int(part))
  }
}

extension LiveFigures.Mode {
  /// Adds a part of a metric: the first takes the place of what is there.
  fileprivate mutating func add(
    _ samples: SparseHistogram, isFirst: Bool, to metric: Int, at start: Nanoseconds, length: Nanoseconds
  ) {
    if metrics.last?.startedNs != start { metrics.append(MetricSeries.Window(startedNs: start, length: length)) }
    if isFirst { metrics[metrics.count - 1].metrics[metric] = samples; return }
    metrics[metrics.count - 1].metrics[metric, default: SparseHistogram()].append(samples)
  }
}

extension [SparseHistogram?] {
  fileprivate subscript(place: Int, default empty: SparseHistogram) -> SparseHistogram {
    get { self[place] ?? empty }
    set { self[place] = newValue }
  }
}
