import StallwatchCore

/// Windows of ticks in a live region.
extension LiveWriter {
  mutating func put(_ window: TickWindow, coarseBy bits: UInt16) {
    put(window.length, window.ticks, window.first.number, window.first.dueNs)
    put(window.last.number, window.last.dueNs)
    put(window.runLoop, bits)
    put(window.gcd, bits)
    put(window.drift.total)
    put(window.drift.maximum) { $0.put($1 < 0 ? 1 : 0, $1.magnitude) }
    put(window.drift.above, bits)
    put(window.drift.below, bits)
    put(window.inOtherModes, window.late.count, window.late.lateness, window.late.machine, window.gcdLate)
    put(window.leftOut.count, window.leftOut.rest)
    put(window.steps.total, window.steps.squares, window.steps.lateness, window.cellLength)
    put(window.cells) { $0.put(UInt64($1.runLoopMark), UInt64($1.gcdMark)) }
    put(window.kept) { writer, kept in
      writer.put(kept.tick.number, kept.tick.dueNs, kept.tick.inOtherModes, kept.machine)
      writer.put(kept.tick.runLoopLateness) { $0.put($1) }
      writer.put(kept.tick.gcdLateness) { $0.put($1) }
    }
  }

  private mutating func put(_ metric: StoredMetric, _ bits: UInt16) {
    put(metric.count, metric.total, metric.maximum)
    put(metric.histogram, bits)
  }

  private mutating func put(_ histogram: DurationHistogram, _ bits: UInt16) {
    let buckets = histogram.buckets.map { SparseHistogram.Bucket(index: UInt16($0.index), count: $0.count) }
    let sparse = SparseHistogram(buckets: buckets, count: 0, total: 0, maximum: 0)
    put((bits > 0 ? sparse.coarse(by: bits) : sparse).buckets[...])
  }
}

extension LiveReader {
  mutating func tickWindow(startedNs: Nanoseconds) throws(Unfit) -> TickWindow {
    var window = TickWindow(startedNs: startedNs, length: try time())
    window.ticks = try time()
    window.first = TickWindow.Place(number: try time(), dueNs: try time())
    window.last = TickWindow.Place(number: try time(), dueNs: try time())
    window.runLoop = try metric()
    window.gcd = try metric()
    window.drift.total = try time()
    window.drift.maximum = try optional { reader throws(Unfit) in
      let isBelow = try reader.number() == 1
      let magnitude = Int64(try reader.time())
      return isBelow ? -magnitude : magnitude
    }
    window.drift.above = try counts()
    window.drift.below = try counts()
    window.inOtherModes = try time()
    window.late = TickWindow.Late(count: try time(), lateness: try time(), machine: try time())
    window.gcdLate = try time()
    window.leftOut = TickWindow.LeftOut(count: try time(), rest: try time())
    window.steps = TickWindow.Steps(total: try time(), squares: try time(), lateness: try time())
    window.cellLength = try time()
    window.cells = try list { reader throws(Unfit) in
      TickCell(runLoopMark: UInt16(clamping: try reader.number()), gcdMark: UInt16(clamping: try reader.number()))
    }
    window.kept = try list { reader throws(Unfit) in
      let (number, dueNs, inOtherModes) = (try reader.time(), try reader.time(), try reader.time())
      let machine = try reader.time()
      let runLoop = try reader.optional { reader throws(Unfit) in try reader.time() }
      let gcd = try reader.optional { reader throws(Unfit) in try reader.time() }
      return TickWindow.Kept(
        tick: DriftTick(
          loop: LoopID(rawValue: 0), number: number, dueNs: dueNs, runLoopLateness: runLoop, gcdLateness: gcd,
          inOtherModes: inOtherModes), machine: machine)
    }
    guard window.cellLength > 0, window.drift.maximum != nil || window.drift.count == 0 else { throw Unfit() }
    return window
  }

  private mutating func metric() throws(Unfit) -> StoredMetric {
    StoredMetric(count: try time(), total: try time(), maximum: try time(), histogram: try counts())
  }

  private mutating func counts() throws(Unfit) -> DurationHistogram {
    var histogram = DurationHistogram()
    for bucket in try buckets() { histogram.add(bucket.count, at: Int(bucket.index)) }
    guard histogram.totalCount <= HistogramEncoding.mostSamples else { throw Unfit() }
    return histogram
  }
}
