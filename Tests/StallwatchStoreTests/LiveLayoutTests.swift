import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("The layout of a live region")
struct LiveLayoutTests {
  /// The blocks of a file.
  private struct Disk {
    var blocks: [Int: LiveBlock.Contents] = [:]
    var sequence: UInt64 = 0

    mutating func write(_ block: Int, of pieces: LivePieces) {
      var writer = LiveWriter()
      pieces.layout.append(block: block, to: &writer)
      sequence += 1
      blocks[block] = LiveBlock.Contents(sequence: sequence, closings: 0, bytes: writer.bytes)
    }

    var figures: LiveFigures {
      var assembly = LiveAssembly(from: 0)
      for block in blocks.values { assembly.add(block) }
      return assembly.figures(closings: 0)
    }

    /// The kinds of the pieces.
    var kinds: Set<LiveKey.Kind> {
      var kinds: Set<LiveKey.Kind> = []
      for block in blocks.values {
        var reader = LiveReader(block.bytes)
        while let key = try? LiveKey(&reader, from: 0), (try? reader.piece()) != nil { kinds.insert(key.kind) }
      }
      return kinds
    }
  }

  private func timer(_ row: Int64, fired: UInt64, counters: Int) -> LiveFigures.Timer {
    var figures = TimerFigures()
    figures.fired = fired
    figures.lateness = SparseHistogram(
      buckets: PackedBuckets((0..<counters).map { HistogramBucket(index: $0 * 3, count: UInt64($0 % 20 + 1)) }),
      count: fired, total: 9, maximum: 9)
    return LiveFigures.Timer(row: row, figures: figures, drops: [:])
  }

  @Test("keeps every piece at every moment between two writes, old or new")
  func everyMoment() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20 {
      var (pieces, disk) = (LivePieces(from: 0), Disk())
      var fired: [Int64: UInt64] = [:]
      var counters: [Int64: Int] = [:]
      for round in 1...40 {
        let before = fired
        for row in Int64(1)...60 where Int.random(in: 0..<3, using: &random) == 0 {
          fired[row, default: 0] += 1
          let known = counters[row, default: 0]
          // Some become smaller, in as many parts as before.
          let isSmaller = known > 0 && Int.random(in: 0..<4, using: &random) == 0
          counters[row] =
            isSmaller ? (known - 1) / 300 * 300 + 1 : min(known + .random(in: 1...120, using: &random), 900)
          pieces.put(timer(row, fired: fired[row]!, counters: counters[row]!), coarsely: false)
        }
        #expect(pieces.isWhole)
        pieces.change { $0.pack() }
        for block in pieces.layout.changed {
          disk.write(block, of: pieces)
          pieces.change { $0.wasWritten(block) }
          let found = Dictionary(uniqueKeysWithValues: disk.figures.timers.map { ($0.row, $0.figures) })
          for (row, count) in before {
            let now = found[row]?.fired
            #expect(now == count || now == fired[row], "timer \(row) in round \(round)")
            // Its lateness may be that of the other moment, but is there.
            let lateness = found[row]?.lateness.count
            #expect(lateness == count || lateness == fired[row], "timer \(row)'s lateness in round \(round)")
          }
        }
        let found = disk.figures.timers
        #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.row, $0.figures.fired) }) == fired)
        #expect(found.allSatisfy { $0.figures.lateness.buckets.count == counters[$0.row] })
      }
      #expect(pieces.layout.count <= LiveHeader.blockCount)
    }
  }

  @Test("needs fewer blocks when pieces have become smaller")
  func smaller() {
    var layout = LiveLayout()
    func size(_ row: Int64) -> Int { 200 + Int(row % 7) * 40 }
    for row in 1...400 as ClosedRange<Int64> {
      let isPut = layout.put(LiveKey(.loop, row: row), [UInt8](repeating: UInt8(row % 256), count: size(row)))
      #expect(isPut)
    }
    let before = layout.count
    for row in 1...400 as ClosedRange<Int64> {
      let isPut = layout.put(LiveKey(.loop, row: row), [UInt8](repeating: UInt8(row % 256), count: size(row) / 3))
      #expect(isPut)
    }
    #expect(layout.count == before)
    for _ in 0..<before {
      layout.pack()
      for block in layout.changed { layout.wasWritten(block) }
    }
    #expect(layout.count < before / 2)
    var writer = LiveWriter()
    for block in 0..<before { layout.append(block: block, to: &writer) }
    #expect(writer.bytes.count == (1...400 as ClosedRange<Int64>).reduce(0) { $0 + size($1) / 3 })
  }

  @Test("refuses what has no room, and takes it again when others have gone")
  func full() {
    var pieces = LivePieces(from: 0)
    var row: Int64 = 0
    while pieces.isWhole {
      row += 1
      pieces.put(timer(row, fired: 1, counters: 250), coarsely: false)
    }
    #expect(row > 500)
    pieces.restart()
    pieces.put(timer(row, fired: 1, counters: 250), coarsely: false)
    #expect(pieces.isWhole)
    pieces.remove([.timer(row)])
    var writer = LiveWriter()
    pieces.layout.append(block: 0, to: &writer)
    #expect(writer.bytes.isEmpty)
  }

  @Test("takes as much memory as its pieces have bytes, and not as much as the largest of them")
  func memory() {
    var layout = LiveLayout()
    var writer = LiveWriter()
    writer.append([UInt8](repeating: 0, count: LiveBlock.room))
    for row in 1...100 as ClosedRange<Int64> {
      writer.begin()
      writer.put(row)
      var isPut = layout.put(LiveKey(.loop, row: row), writer.bytes)
      #expect(isPut)
      // It grows in place.
      writer.put(row)
      isPut = layout.put(LiveKey(.loop, row: row), writer.bytes)
      #expect(isPut)
    }
    #expect(layout.capacity < 100 * 64)
  }

  @Test("leaves a piece that grows little by little room for a quarter more, and not for twice as much")
  func growth() {
    var layout = LiveLayout()
    let key = LiveKey(.loop, row: 1)
    for count in stride(from: 100, through: LiveBlock.room / 2, by: 10) {
      let isPut = layout.put(key, [UInt8](repeating: 7, count: count))
      #expect(isPut)
      // What malloc rounds to comes on top.
      #expect((count...count + count / 4 + 64).contains(layout.capacity))
    }
  }

  @Test("has room for a few more pieces than it has, also where many small ones have become few large ones")
  func pieces() {
    var layout = LiveLayout()
    let keys = (1...100).map { LiveKey(.loop, row: $0) }
    for count in [20, 1_000] {
      for key in keys {
        let isPut = layout.put(key, [UInt8](repeating: 7, count: count))
        #expect(isPut)
      }
    }
    #expect(layout.pieceCounts.inUse == keys.count)
    // The small ones lay in one block, of which each large one takes a quarter.
    #expect(layout.pieceCounts.capacity <= 2 * keys.count)
  }

  @Test("shows joined windows once, also while those they stand for are still there")
  func joined() {
    let grid = WindowSeries.Grid(origin: 0, windowLength: .second, cellLength: 250 * .millisecond, evenLength: .second)
    var (pieces, disk, series) = (LivePieces(from: 0), Disk(), WindowSeries())
    var busy: Nanoseconds = 0
    func show() {
      pieces.remove([])
      pieces.put(series, ofMode: 1, loop: 1, from: 0)
      for block in pieces.layout.changed {
        disk.write(block, of: pieces)
        pieces.change { $0.wasWritten(block) }
        #expect(disk.figures.modes.first?.windows.reduce(0) { $0 + $1.busy } == busy)
      }
    }
    for step in 0..<40 {
      let start = Nanoseconds(step) * 300 * .millisecond
      series.add(
        ModeStretch(
          startNs: start, endNs: start + 300 * .millisecond, busy: UInt64(step), waiting: 1, outside: 0, iterations: 1,
          longest: 1), on: grid)
      busy += UInt64(step)
      show()
      if step.isMultiple(of: 9) {
        _ = series.coarsen(to: .second, on: grid) { $0.endNs + .second > start }
        show()
      }
    }
    #expect(series.full.count < 8)
    #expect(disk.figures.modes.first?.windows.count == series.windows.count)
  }

  @Test("shows a mode's metrics once at every moment, also while they become too many for one piece")
  func outgrown() {
    // So few counters that a metric by itself is one piece.
    var random = SystemRandomNumberGenerator()
    let grid = MetricSeries.Grid(origin: 0, length: 60 * .second)
    for _ in 0..<10 {
      var (pieces, disk) = (LivePieces(from: 0), Disk())
      var series = (1...6).map { _ in MetricSeries() }
      var kinds: Set<LiveKey.Kind> = []
      for round in 1...60 {
        let before = series
        for mode in series.indices where Bool.random(using: &random) {
          let growth = Metric.allCases.filter { _ in Bool.random(using: &random) }.map { metric in
            Sample.growth(
              metric,
              (0..<30).map { _ in
                HistogramLayout.lowestDuration(at: 14 * .random(in: 0..<250, using: &random))
              })
          }
          let moment = Nanoseconds(round) * 2_500 * .millisecond
          series[mode].add(growth, at: moment, on: grid, ofLengths: 1)
          for window in series[mode].windows { pieces.put(window, ofMode: Int64(mode), loop: 1, coarsely: false) }
        }
        for block in pieces.layout.changed {
          disk.write(block, of: pieces)
          pieces.change { $0.wasWritten(block) }
          for mode in disk.figures.modes {
            let (old, new) = (before[Int(mode.row)].windows, series[Int(mode.row)].windows)
            for (place, window) in mode.metrics.enumerated() {
              for metric in Metric.allCases.map({ Int($0.rawValue) }) {
                let found = window.metrics[metric]
                let isOld = place < old.count && found == old[place].metrics[metric]
                #expect(isOld || found == new[place].metrics[metric], "mode \(mode.row) in round \(round)")
              }
            }
          }
        }
        let found = Dictionary(uniqueKeysWithValues: disk.figures.modes.map { (Int($0.row), $0.metrics) })
        #expect(series.indices.allSatisfy { found[$0] ?? [] == series[$0].windows })
        kinds.formUnion(disk.kinds)
        pieces.remove([])
      }
      #expect(pieces.isWhole)
      #expect(kinds == [.metrics, .metric])
    }
  }

  @Test("has room for ticks of any lateness")
  func manyLatenesses() {
    var window = TickWindow(startedNs: 0, length: 300 * .second)
    for number in 0..<UInt64(HistogramLayout.bucketCount) {
      let lateness = HistogramLayout.lowestDuration(at: Int(number))
      for (own, control) in [(lateness, 0 as Nanoseconds), (0, lateness), (lateness, lateness)] {
        let tick = DriftTick(
          loop: LoopID(rawValue: 1), number: number, dueNs: number * 80 * .millisecond, runLoopLateness: own,
          gcdLateness: control, inOtherModes: 0)
        window.add(tick, machine: 0)
      }
    }
    var (pieces, disk) = (LivePieces(from: 0), Disk())
    pieces.put(window, ofLoop: 1, coarsely: false)
    #expect(pieces.isWhole)
    for block in pieces.layout.changed { disk.write(block, of: pieces) }
    let found = disk.figures.ticks.first?.windows.first
    #expect(found?.runLoop.count == window.runLoop.count)
    #expect(found?.runLoop.histogram.totalCount == window.runLoop.count)
    #expect(found?.kept.count == window.kept.count)
  }
}
