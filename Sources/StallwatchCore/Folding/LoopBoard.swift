/// What a loop's thread shows of itself at every moment, for the watchdog to look at without disturbing it.
public struct LoopBoard: @unchecked Sendable {
  /// How much zeroed memory a board takes.
  public static let byteCount = wordCount * 8 + ModeRuns.byteCount + TickQueue.byteCount
  private static let wordCount = 24

  /// Where the board lies.
  public let memory: UnsafeMutableRawPointer
  /// The loop's recent runs.
  public let runs: ModeRuns
  /// The drift probe's ticks that the loop served.
  public let ticks: TickQueue
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
    /// Inverted, so that a zeroed board has none: then it is due at the end of time.
    static let tickDue = 16
    static let driftModes = 17
  }

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  public init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
    words = SharedWords(memory: memory, count: Self.wordCount)
    runs = ModeRuns(memory: memory + Self.wordCount * 8)
    ticks = TickQueue(memory: memory + Self.wordCount * 8 + ModeRuns.byteCount)
  }

  // MARK: For the watchdog

  /// Where the loop stands now. Read again while span and position are not of the same moment, which the position's
  /// upper half tells: it holds the lower half of the span's start. Not for ever, because the loop's thread may have
  /// lost its processor between the two: then the position is already the next span's.
  public var sight: LoopSight {
    var (start, position) = read()
    for _ in 0..<Self.maximumReadings {
      if UInt32(truncatingIfNeeded: start) == UInt32(truncatingIfNeeded: position >> 32) { break }
      (start, position) = read()
    }
    return LoopSight(
      spanStart: start == 0 ? nil : start, mode: Int(position >> 16 & 0xffff), depth: Int(position >> 8 & 0xff),
      phase: Phase(rawValue: UInt8(position & 0xff)) ?? .prepare)
  }

  /// The loop's thread is between its two stores for some nanoseconds; as many readings take some microseconds.
  private static let maximumReadings = 1_000

  private func read() -> (start: UInt64, position: UInt64) {
    let start = words.loadFenced(Word.spanStart)
    return (start, words.acquire(Word.position))
  }

  /// When the loop last stopped being held: where it waits, since when.
  public var restStart: Nanoseconds { words.load(Word.restStart) }
  /// Time between the end of one run and the start of the next.
  public var outside: Nanoseconds { words.load(Word.outside) }
  /// Activities folded.
  public var activities: UInt64 { words.load(Word.activities) }
  /// Runs nested deeper than ``LoopFold/maximumDepth``: the time in them is blind.
  public var lostActivations: UInt64 { words.load(Word.lostActivations) }
  /// Time spent in our observers on this loop's thread: the mean of what was measured, times all activities.
  public var observerTotal: Nanoseconds {
    let samples = words.load(Word.observerSamples)
    guard samples > 0 else { return 0 }
    let estimate = Double(words.load(Word.observerTotal)) / Double(samples) * Double(activities)
    return Nanoseconds(min(estimate, 0x1p63))
  }

  // MARK: For the loop's thread

  /// Shows mode, depth and phase. Comes before ``hold(from:)``, ``wake(at:)`` or ``rest(from:)`` when the span changes too,
  /// with the same start; 0 is none.
  @inline(__always)
  func stand(mode: Int, depth: Int, phase: Phase, span start: Nanoseconds) {
    let place = UInt64(truncatingIfNeeded: mode & 0xffff) << 16 | UInt64(truncatingIfNeeded: depth) << 8
    words.store(Word.position, start << 32 | place | UInt64(phase.rawValue))
  }
  @inline(__always)
  func hold(from start: Nanoseconds) { words.release(Word.spanStart, start) }
  /// Like ``hold(from:)``, and ordered before a look at whether the watchdog is parked.
  @inline(__always)
  func wake(at start: Nanoseconds) { words.storeFenced(Word.spanStart, start) }
  @inline(__always)
  func rest(from start: Nanoseconds) {
    words.store(Word.restStart, start)
    words.release(Word.spanStart, 0)
  }
  /// Tells a span of at least the threshold, when it is over.
  func closeLongSpan(from start: Nanoseconds, to end: Nanoseconds) {
    words.store(Word.longStart, start)
    words.store(Word.longEnd, end)
  }
  /// Until when the loop was last held by one span of at least the threshold: `now` if it still is; nil if it never was.
  @inline(__always)
  func longSpan(at now: Nanoseconds, threshold: Nanoseconds) -> Nanoseconds? {
    let start = words.load(Word.spanStart)
    if start != 0, now.since(start) >= threshold { return now }
    let end = words.load(Word.longEnd)
    return end == 0 ? nil : end
  }
  /// The mode of the innermost run or, outside any, of the last one. The loop's thread only.
  @inline(__always)
  var lastMode: Int { Int(words.load(Word.position) >> 16 & 0xffff) }
  /// The mode of the innermost run; nil outside any. The loop's thread only.
  @inline(__always)
  var innermostMode: Int? {
    let position = words.load(Word.position)
    return position >> 8 & 0xff == 0 ? nil : Int(position >> 16 & 0xffff)
  }
  @inline(__always)
  func addOutside(_ duration: Nanoseconds) { words.add(Word.outside, duration) }
  @inline(__always)
  func loseActivation() { words.add(Word.lostActivations, 1) }

  /// Counts an activity and returns how many there were before it.
  @inline(__always)
  public func countActivity() -> UInt64 {
    let count = words.load(Word.activities)
    words.store(Word.activities, count &+ 1)
    return count
  }

  /// Adds a sample to ``observerTotal``; by the loop's thread only.
  public func addObserverTime(_ duration: Nanoseconds) {
    words.add(Word.observerTotal, duration)
    words.add(Word.observerSamples, 1)
  }

  /// The operating system's number of the loop's thread; 0 until known.
  public var threadID: UInt64 { words.acquire(Word.threadID) }
  /// Tells the loop's thread number. Any thread, once.
  public func setThreadID(_ threadID: UInt64) { words.release(Word.threadID, threadID) }
  /// The thread's pointer to its control block, by which its stack is found; 0 until known.
  public var threadPointer: UInt64 { words.load(Word.threadPointer) }
  /// Sets that pointer; before ``setThreadID(_:)``.
  public func setThreadPointer(_ pointer: UInt64) { words.store(Word.threadPointer, pointer) }
  /// The thread's name when it was first seen, at most 15 bytes; empty when it had none.
  public var threadName: String {
    let bytes = (words.load(Word.threadName).littleEndian, words.load(Word.threadName + 1).littleEndian)
    return withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
  /// Tells the thread's name as 16 bytes, lowest first; before ``setThreadID(_:)``.
  public func setThreadName(_ low: UInt64, _ high: UInt64) {
    words.store(Word.threadName, low)
    words.store(Word.threadName + 1, high)
  }
  /// Whether the loop's thread has ended.
  public var threadHasEnded: Bool { words.acquire(Word.threadEnded) != 0 }
  /// When it ended; nil while it lives.
  public var threadEndedNs: Nanoseconds? {
    let ended = words.acquire(Word.threadEnded)
    return ended == 0 ? nil : ended
  }
  /// Tells that the loop's thread is ending; by that thread, as the last thing it does with this memory.
  public func endThread(at now: Nanoseconds) { words.release(Word.threadEnded, max(now, 1)) }

  /// Whether observers on this loop are to do nothing: after a fork, in the child. Any thread.
  public var isSilenced: Bool { words.load(Word.silenced) != 0 }
  /// Makes observers on this loop do nothing from now on. Any thread; async-signal-safe.
  public func silence() { words.store(Word.silenced, 1) }
  /// Undoes ``silence()``, for memory that is used again.
  public func clear() {
    for word in 0..<Self.wordCount { words.store(word, 0) }
    runs.clear()
    ticks.clear()
  }
}

/// Where a loop stood when the watchdog looked.
public struct LoopSight: Equatable, Sendable {
  /// When the current span began; nil while the loop waits, is outside any run, or is nested too deep to be seen.
  public var spanStart: Nanoseconds?
  /// The mode's place in the loop's table.
  public var mode: Int
  /// How many runs are active, one inside the other; 0 outside any run.
  public var depth: Int
  /// The current phase.
  public var phase: Phase

  /// A loop's standing.
  public init(spanStart: Nanoseconds?, mode: Int, depth: Int, phase: Phase) {
    self.spanStart = spanStart
    self.mode = mode
    self.depth = depth
    self.phase = phase
  }

  /// Whether no run is active.
  public var isOutside: Bool { depth == 0 }
  /// Whether the innermost run waits.
  public var isWaiting: Bool { spanStart == nil && !isOutside && phase == .waiting }
}
