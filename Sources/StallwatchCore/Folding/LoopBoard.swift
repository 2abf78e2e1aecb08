/// What a loop's thread shows of itself at every moment, so that the watchdog can look at it without disturbing it.
package struct LoopBoard: @unchecked Sendable {
  /// The zeroed memory that a board takes, in bytes.
  package static let byteCount = wordCount * 8 + ModeRuns.byteCount + TickQueue.byteCount
  private static let wordCount = 24

  /// The board's memory, which its creator owns.
  package let memory: UnsafeMutableRawPointer
  /// The loop's recent runs; the loop's thread writes them.
  package let runs: ModeRuns
  /// The drift probe's ticks that the loop served, for the watchdog to read.
  package let ticks: TickQueue
  let words: SharedWords

  enum Word {
    static let spanStart = 0
    static let position = 1
    static let outside = 2
    static let activities = 3
    static let lostActivations = 4
    static let observerTotal = 5
    static let silenced = 6
    static let threadID = 7
    static let threadEnded = 8
    static let threadName = 9
    static let observerSamples = 11
    static let restStart = 12
    static let longStart = 13
    static let longEnd = 14
    static let threadPointer = 15
    /// Inverted, so that a zeroed board has no tick: the inverted 0 is the end of time.
    static let tickDue = 16
    static let driftModes = 17
  }

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  package init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
    words = SharedWords(memory: memory, count: Self.wordCount)
    runs = ModeRuns(memory: memory + Self.wordCount * 8)
    ticks = TickQueue(memory: memory + Self.wordCount * 8 + ModeRuns.byteCount)
  }

  // MARK: For the watchdog

  /// Where the loop stands now. Reads again while span and position are of different moments: the position's upper half
  /// holds the lower half of the span's start. Gives up after some readings, because the loop's thread may lose its
  /// processor between its two stores; the position is then already the next span's.
  package var sight: LoopSight {
    var (start, position) = read()
    for _ in 0..<Self.maximumReadings {
      if UInt32(truncatingIfNeeded: start) == UInt32(truncatingIfNeeded: position >> 32) { break }
      (start, position) = read()
    }
    return LoopSight(
      spanStart: start == 0 ? nil : start, mode: Int(position >> 16 & 0xffff), depth: Int(position >> 8 & 0xff),
      phase: Phase(rawValue: UInt8(position & 0xff)) ?? .prepare)
  }

  /// The loop's thread takes some nanoseconds between its two stores; this many readings take some microseconds.
  private static let maximumReadings = 1_000

  private func read() -> (start: UInt64, position: UInt64) {
    let start = words.loadFenced(Word.spanStart)
    return (start, words.acquire(Word.position))
  }

  /// When the loop's last hold ended: if it waits or is outside any run, since when.
  package var restStart: Nanoseconds { words.load(Word.restStart) }
  /// Time between the end of one run and the start of the next, summed, in nanoseconds.
  package var outside: Nanoseconds { words.load(Word.outside) }
  /// How many activities the fold has taken.
  package var activities: UInt64 { words.load(Word.activities) }
  /// How many runs were nested deeper than ``LoopFold/maximumDepth``; the time in them is unobserved.
  package var lostActivations: UInt64 { words.load(Word.lostActivations) }
  /// Time spent in our observers on this loop's thread: the mean of the measured calls times all activities.
  package var observerTotal: Nanoseconds {
    let samples = words.load(Word.observerSamples)
    guard samples > 0 else { return 0 }
    let estimate = Double(words.load(Word.observerTotal)) / Double(samples) * Double(activities)
    return Nanoseconds(min(estimate, 0x1p63))
  }

  // MARK: For the loop's thread

  /// Shows mode, depth and phase. If the span changes too, comes before ``hold(from:)``, ``wake(at:)`` or
  /// ``rest(from:)``, with the same start; 0 is none.
  @inline(__always)
  func stand(mode: Int, depth: Int, phase: Phase, span start: Nanoseconds) {
    let place = UInt64(truncatingIfNeeded: mode & 0xffff) << 16 | UInt64(truncatingIfNeeded: depth) << 8
    words.store(Word.position, start << 32 | place | UInt64(phase.rawValue))
  }
  @inline(__always)
  func hold(from start: Nanoseconds) { words.release(Word.spanStart, start) }
  /// Like ``hold(from:)``, and ordered before the look at whether the watchdog is parked.
  @inline(__always)
  func wake(at start: Nanoseconds) { words.storeFenced(Word.spanStart, start) }
  @inline(__always)
  func rest(from start: Nanoseconds) {
    words.store(Word.restStart, start)
    words.release(Word.spanStart, 0)
  }
  /// Shows a span of at least the threshold, when it is over.
  func closeLongSpan(from start: Nanoseconds, to end: Nanoseconds) {
    words.store(Word.longStart, start)
    words.store(Word.longEnd, end)
  }
  /// Until when a span of at least the threshold last held the loop: `now` if one still does; nil if none ever did.
  @inline(__always)
  func longSpan(at now: Nanoseconds, threshold: Nanoseconds) -> Nanoseconds? {
    let start = words.load(Word.spanStart)
    if start != 0, now.since(start) >= threshold { return now }
    let end = words.load(Word.longEnd)
    return end == 0 ? nil : end
  }
  /// The mode of the innermost run; outside any run, of the last one. For the loop's thread.
  @inline(__always)
  var lastMode: Int { Int(words.load(Word.position) >> 16 & 0xffff) }
  /// The mode of the innermost run; nil outside any run. For the loop's thread.
  @inline(__always)
  var innermostMode: Int? {
    let position = words.load(Word.position)
    return position >> 8 & 0xff == 0 ? nil : Int(position >> 16 & 0xffff)
  }
  @inline(__always)
  func addOutside(_ duration: Nanoseconds) { words.add(Word.outside, duration) }
  @inline(__always)
  func loseActivation() { words.add(Word.lostActivations, 1) }

  /// Counts an activity and returns how many came before it. For the loop's thread.
  @inline(__always)
  package func countActivity() -> UInt64 {
    let count = words.load(Word.activities)
    words.store(Word.activities, count &+ 1)
    return count
  }

  /// Adds a measured call to ``observerTotal``. For the loop's thread.
  package func addObserverTime(_ duration: Nanoseconds) {
    words.add(Word.observerTotal, duration)
    words.add(Word.observerSamples, 1)
  }

  /// The system's number of the loop's thread; 0 until known.
  package var threadID: UInt64 { words.acquire(Word.threadID) }
  /// Sets ``threadID``. Any thread, once.
  package func setThreadID(_ threadID: UInt64) { words.release(Word.threadID, threadID) }
  /// The thread's pointer to its control block, which leads to its stack; 0 until known.
  package var threadPointer: UInt64 { words.load(Word.threadPointer) }
  /// Sets ``threadPointer``. Call it before ``setThreadID(_:)``.
  package func setThreadPointer(_ pointer: UInt64) { words.store(Word.threadPointer, pointer) }
  /// The thread's name when it was first seen, at most 15 bytes; empty if it had none.
  package var threadName: String {
    let bytes = (words.load(Word.threadName).littleEndian, words.load(Word.threadName + 1).littleEndian)
    return withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
  /// Sets ``threadName`` from 16 bytes, lowest first. Call it before ``setThreadID(_:)``.
  package func setThreadName(_ low: UInt64, _ high: UInt64) {
    words.store(Word.threadName, low)
    words.store(Word.threadName + 1, high)
  }
  /// Whether the loop's thread has ended.
  package var threadHasEnded: Bool { words.acquire(Word.threadEnded) != 0 }
  /// When the loop's thread ended, on the monotonic clock; nil while it lives.
  package var threadEndedNs: Nanoseconds? {
    let ended = words.acquire(Word.threadEnded)
    return ended == 0 ? nil : ended
  }
  /// Marks the loop's thread as ended. For that thread, as its last access to this memory.
  package func endThread(at now: Nanoseconds) { words.release(Word.threadEnded, max(now, 1)) }

  /// Whether observers on this loop must do nothing: in the child, after a fork. Any thread.
  package var isSilenced: Bool { words.load(Word.silenced) != 0 }
  /// Makes observers on this loop do nothing from now on. Any thread; async-signal-safe.
  package func silence() { words.store(Word.silenced, 1) }
  /// Empties the board and undoes ``silence()``, so that another loop can use the memory.
  package func clear() {
    for word in 0..<Self.wordCount { words.store(word, 0) }
    runs.clear()
    ticks.clear()
  }
}

/// Where a loop stood when the watchdog looked at it.
package struct LoopSight: Equatable, Sendable {
  /// When the current span began; nil while the loop waits, is outside any run, or is nested too deep to observe.
  package var spanStart: Nanoseconds?
  /// The mode's place in the loop's table, from 0.
  package var mode: Int
  /// How many runs are active, one inside the other; 0 outside any run.
  package var depth: Int
  /// The current phase.
  package var phase: Phase

  /// Sets every property as given; checks nothing.
  package init(spanStart: Nanoseconds?, mode: Int, depth: Int, phase: Phase) {
    self.spanStart = spanStart
    self.mode = mode
    self.depth = depth
    self.phase = phase
  }

  /// Whether no run is active.
  package var isOutside: Bool { depth == 0 }
  /// Whether the innermost run waits.
  package var isWaiting: Bool { spanStart == nil && !isOutside && phase == .waiting }
}
