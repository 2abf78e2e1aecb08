import StallwatchCore

/// How figures lie in a live region: integers of variable length, one after the other.
enum LiveEncoding {
  /// The first number of every encoding: another version is not read.
  private static let version: UInt64 = 2

  static func encode(_ figures: LiveFigures) -> [UInt8] {
    var writer = LiveWriter()
    encode(figures, into: &writer)
    return writer.bytes
  }

  /// Appends the encoding.
  static func encode(_ figures: LiveFigures, into writer: inout LiveWriter) {
    writer.put(version)
    writer.put(figures.closings)
    writer.put(figures.windowsWritten)
    writer.put(figures.fromNs, figures.lastSeenNs)
    writer.put(figures.health) { writer, health in
      writer.put(health.atNs, health.observerTotal, health.monitorCPU, health.wakeups, health.driftWakeups)
      writer.put(health.lateness)
      writer.put(health.signalObstacle) { $0.put($1) }
    }
    writer.put(figures.loops) { writer, loop in
      writer.put(loop.row)
      writer.put(loop.outside, loop.activities)
    }
    writer.put(figures.modes) { writer, mode in
      writer.put(mode.row)
      writer.put(mode.loop)
      writer.put(mode.windows) { $0.put($1) }
      writer.put(mode.metrics) { writer, window in
        writer.put(window.startedNs)
        for samples in window.metrics { writer.put(samples) { $0.put($1) } }
      }
    }
    writer.put(figures.timers) { writer, timer in
      writer.put(timer.row)
      writer.put(timer.figures)
      writer.put(timer.drops.sorted { $0.key < $1.key }) { writer, drops in
        writer.put(drops.key)
        writer.put(drops.value)
      }
    }
    writer.put(figures.ticks) { writer, ticks in
      writer.put(ticks.loop)
      writer.put(ticks.windows) { $0.put($1) }
    }
  }

  /// The figures in `bytes`; nil when they are not an encoding of this version: anybody may have written them.
  static func decode(_ bytes: [UInt8]) -> LiveFigures? {
    var reader = LiveReader(bytes)
    guard let figures = try? read(&reader), reader.isAtEnd else { return nil }
    return figures
  }

  private static func read(_ reader: inout LiveReader) throws(LiveReader.Unfit) -> LiveFigures {
    guard try reader.number() == version else { throw LiveReader.Unfit() }
    var figures = LiveFigures(
      closings: try reader.row(), windowsWritten: try reader.row(), fromNs: try reader.time(),
      lastSeenNs: try reader.time())
    figures.health = try reader.optional { reader throws(LiveReader.Unfit) in
      LiveFigures.Health(
        atNs: try reader.time(), observerTotal: try reader.time(), monitorCPU: try reader.time(),
        wakeups: try reader.time(), driftWakeups: try reader.time(), lateness: try reader.histogram(),
        signalObstacle: try reader.optional { reader throws(LiveReader.Unfit) in try reader.text() })
    }
    figures.loops = try reader.list { reader throws(LiveReader.Unfit) in
      LiveFigures.Loop(row: try reader.row(), outside: try reader.time(), activities: try reader.time())
    }
    figures.modes = try reader.list { reader throws(LiveReader.Unfit) in
      LiveFigures.Mode(
        row: try reader.row(), loop: try reader.row(),
        windows: try reader.list { reader throws(LiveReader.Unfit) in try reader.timeWindow() },
        metrics: try reader.list { reader throws(LiveReader.Unfit) in
          var window = MetricSeries.Window(startedNs: try reader.time())
          for place in window.metrics.indices {
            window.metrics[place] = try reader.optional { reader throws(LiveReader.Unfit) in try reader.histogram() }
          }
          return window
        })
    }
    figures.timers = try reader.list { reader throws(LiveReader.Unfit) in
      let (row, figures) = (try reader.row(), try reader.timerFigures())
      let drops = try reader.list { reader throws(LiveReader.Unfit) in (try reader.row(), try reader.time()) }
      return LiveFigures.Timer(
        row: row, figures: figures, drops: Dictionary(drops, uniquingKeysWith: { first, _ in first }))
    }
    figures.ticks = try reader.list { reader throws(LiveReader.Unfit) in
      LiveFigures.Ticks(
        loop: try reader.row(),
        windows: try reader.list { reader throws(LiveReader.Unfit) in try reader.tickWindow() })
    }
    return figures
  }
}

/// Appends numbers of variable length: seven bits a byte, low bits first, the eighth bit set when more follow.
struct LiveWriter {
  private(set) var bytes: [UInt8] = []

  /// Begins anew, with `head` first, in the same memory: a heap that gives large pieces is slow.
  mutating func begin(with head: [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: head)
  }

  /// Changes the first bytes.
  mutating func replaceHead(_ head: [UInt8]) { bytes.replaceSubrange(0..<head.count, with: head) }

  mutating func put(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func put(_ numbers: UInt64...) {
    for number in numbers { put(number) }
  }

  /// A row's number, or a count: not negative.
  mutating func put(_ row: Int64) { put(UInt64(clamping: row)) }

  mutating func put(_ text: String) {
    put(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func put<Value>(_ value: Value?, _ body: (inout LiveWriter, Value) -> Void) {
    put(value == nil ? 0 : 1 as UInt64)
    if let value { body(&self, value) }
  }

  mutating func put<Value>(_ list: [Value], _ body: (inout LiveWriter, Value) -> Void) {
    put(UInt64(list.count))
    for value in list { body(&self, value) }
  }

  mutating func put(_ histogram: SparseHistogram) {
    put(histogram.count, histogram.total, histogram.maximum)
    put(histogram.buckets) { writer, bucket in
      writer.put(UInt64(bucket.index))
      writer.put(bucket.count)
    }
  }

  mutating func put(_ window: TimeWindow) {
    put(window.startedNs, window.cellLength, window.evenLength, window.entries, window.iterations)
    put(window.starved, window.busy, window.waiting, window.outside, window.longest)
    put(window.cells) { writer, cell in
      writer.put(UInt64(cell.busyNs))
      writer.put(UInt64(cell.waitingNs))
      writer.put(UInt64(cell.outsideNs))
      writer.put(UInt64(cell.iterations))
      writer.put(UInt64(cell.longestPlace))
    }
  }

  mutating func put(_ figures: TimerFigures) {
    put(figures.fired, figures.dropped, figures.droppedOutside, figures.coalesced, figures.rearmed)
    put(figures.intervalChanges, figures.calloutTotal, figures.calloutMaximum)
    put(figures.lateness)
    put(figures.worstAtNs) { $0.put($1) }
    put(figures.endedNs) { $0.put($1) }
  }
}
