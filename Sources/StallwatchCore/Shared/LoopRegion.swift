/// Everything that a loop's thread shares with the watchdog, except the profile of its modes (``ModeCounters``), in one
/// piece of memory: what the thread shows of itself at every moment, so that the watchdog can look at it without
/// disturbing it, and the queues of what is rare.
///
/// Nothing in it refers to a place in that memory, so it may lie in a file.
package struct LoopRegion: @unchecked Sendable {
  struct Fields: ~Copyable, SharedFields {
    let spanStart: SharedWord
    /// A ``PlaceWord``.
    let position: SharedWord
    let outside: SharedWord
    let activities: SharedWord
    let lostActivations: SharedWord
    let observerTotal: SharedWord
    let silenced: SharedWord
    let threadID: SharedWord
    let threadEnded: SharedWord
    let threadNameLow: SharedWord
    let threadNameHigh: SharedWord
    let observerSamples: SharedWord
    let restStart: SharedWord
    let longEnd: SharedWord
    let threadPointer: SharedWord
    /// Inverted, so that a zeroed region has no tick: the inverted 0 is the end of time.
    let tickDue: SharedWord
    let driftModes: SharedWord
    let wokenFor: SharedWord
    let tickWake: SharedWord
    let hiddenActivities: SharedWord
    /// Last: from which number of activities on the loop's observers look at what is rare; 0: at the next one. Other
    /// threads store 0 alone.
    let attention: SharedWord
  }

  /// The region's memory, which its creator owns.
  package let memory: UnsafeMutableRawPointer

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  @inline(__always)
  package init(memory: UnsafeMutableRawPointer) { self.memory = memory }

  @inline(__always)
  var fields: UnsafeMutablePointer<Fields> { Fields.bind(memory) }
  /// The loop's recent runs; the loop's thread writes them.
  @inline(__always)
  package var runs: ModeRuns { ModeRuns(memory: memory + Self.runsOffset) }
  /// The drift probe's ticks that the loop served. At the shortest interval, 10 ms, the watchdog may fail to read for
  /// 10 s before one is lost.
  @inline(__always)
  package var ticks: SharedQueue<ServedTick> {
    SharedQueue(near: memory + Self.ticksOffset, far: memory + Self.farTicksOffset)
  }
  /// Durations of at least the threshold. A threshold's time of the loop makes three at most, so one is lost only if
  /// the watchdog does not run for a third of the capacity in thresholds: 17 s by default.
  @inline(__always)
  package var spells: SharedQueue<LongSpell> {
    SharedQueue(near: memory + Self.spellsOffset, far: memory + Self.farSpellsOffset)
  }
  /// Callouts that a stall made late. It makes each timer late once, so the queue holds the victims of a stall in a
  /// program with as many timers.
  @inline(__always)
  package var lateFires: SharedQueue<LateFire> {
    SharedQueue(near: memory + Self.lateFiresOffset, far: memory + Self.farLateFiresOffset)
  }

  /// Whether spells wait for the watchdog.
  package var hasSpells: Bool { !spells.isEmpty }
  /// Removes and returns the waiting ticks, oldest first. For the watchdog.
  package func drainTicks() -> [ServedTick] { ticks.isEmpty ? [] : ticks.drain() }
  /// Removes and returns the oldest late callout; nil when none waits. For the watchdog.
  package func popLateFire() -> LateFire? { lateFires.pop() }

  // Where each part begins. Parts share no cache lines, so the watchdog disturbs only what it reads. Places that few
  // loops ever use come last, so that memory backs one page of most regions.
  private static var runsOffset: Int { CacheLine.rounded(Fields.byteCount) }
  private static var ticksOffset: Int { CacheLine.rounded(runsOffset + ModeRuns.byteCount) }
  private static var spellsOffset: Int { CacheLine.rounded(ticksOffset + SharedQueue<ServedTick>.nearByteCount) }
  private static var lateFiresOffset: Int { CacheLine.rounded(spellsOffset + SharedQueue<LongSpell>.nearByteCount) }
  private static var farTicksOffset: Int { CacheLine.rounded(lateFiresOffset + SharedQueue<LateFire>.nearByteCount) }
  private static var farSpellsOffset: Int { CacheLine.rounded(farTicksOffset + SharedQueue<ServedTick>.farByteCount) }
  private static var farLateFiresOffset: Int {
    CacheLine.rounded(farSpellsOffset + SharedQueue<LongSpell>.farByteCount)
  }
  /// The zeroed memory that a region takes, in bytes.
  package static var byteCount: Int { CacheLine.rounded(farLateFiresOffset + SharedQueue<LateFire>.farByteCount) }

  // MARK: For the watchdog

  /// Where the loop stands now. Reads again while span and position are of different moments: the position's upper half
  /// holds the lower half of the span's start. Gives up after some readings, because the loop's thread may lose its
  /// processor between its two stores; the position is then already the next span's.
  package var position: LoopPosition {
    var (start, position) = read()
    for _ in 0..<Self.maximumReadings {
      if UInt32(truncatingIfNeeded: start) == UInt32(truncatingIfNeeded: position >> 32) { break }
      (start, position) = read()
    }
    let place = PlaceWord(word: position)
    return LoopPosition(
      spanStart: start == 0 ? nil : start, mode: place.mode, depth: place.depth, phase: place.phase)
  }

  /// The loop's thread takes some nanoseconds between its two stores; this many readings take some microseconds.
  private static let maximumReadings = 1_000

  private func read() -> (start: UInt64, position: UInt64) {
    let start = fields.pointee.spanStart.loadFenced()
    return (start, fields.pointee.position.acquire())
  }

  /// When the loop's last hold ended: if it waits or is outside any run, since when.
  package var restStart: Nanoseconds { fields.pointee.restStart.load() }
  /// Time between the end of one run and the start of the next, summed, in nanoseconds.
  package var outside: Nanoseconds { fields.pointee.outside.load() }
  /// How many activities observers saw, with those that ``ownActivities`` leaves out.
  package var activities: UInt64 { fields.pointee.activities.load() }
  /// How many runs were nested deeper than ``LoopFold/maximumDepth``; the time in them is unobserved.
  package var lostActivations: UInt64 { fields.pointee.lostActivations.load() }
  /// Time spent in our observers on this loop's thread: the mean of the measured calls times all activities.
  package var observerTotal: Nanoseconds {
    let samples = fields.pointee.observerSamples.load()
    guard samples > 0 else { return 0 }
    let estimate = Double(fields.pointee.observerTotal.load()) / Double(samples) * Double(activities)
    return Nanoseconds(min(estimate, 0x1p63))
  }

  // MARK: For the loop's thread

  /// Shows where the loop stands. If the span changes too, comes before ``hold(from:)``, ``wake(at:)`` or
  /// ``rest(from:)``, with the same start.
  @inline(__always)
  func stand(_ place: PlaceWord) { fields.pointee.position.store(place.word) }
  @inline(__always)
  func hold(from start: Nanoseconds) { fields.pointee.spanStart.release(start) }
  /// Like ``hold(from:)``, and ordered before the look at whether the watchdog is parked.
  @inline(__always)
  func wake(at start: Nanoseconds) { fields.pointee.spanStart.storeFenced(start) }
  @inline(__always)
  func rest(from start: Nanoseconds) {
    fields.pointee.restStart.store(start)
    fields.pointee.spanStart.release(0)
  }
  /// Shows that a span of at least the threshold ended at `end`.
  func closeLongSpan(at end: Nanoseconds) { fields.pointee.longEnd.store(end) }
  /// Until when a span of at least the threshold last held the loop: `now` if one still does; nil if none ever did.
  @inline(__always)
  func longSpan(at now: Nanoseconds, threshold: Nanoseconds) -> Nanoseconds? {
    let start = fields.pointee.spanStart.load()
    if start != 0, now.since(start) >= threshold { return now }
    let end = fields.pointee.longEnd.load()
    return end == 0 ? nil : end
  }
  /// The mode of the innermost run; outside any run, of the last one. For the loop's thread.
  @inline(__always)
  var lastMode: Int { PlaceWord(word: fields.pointee.position.load()).mode }
  /// The mode of the innermost run; nil outside any run. For the loop's thread.
  @inline(__always)
  var innermostMode: Int? {
    let place = PlaceWord(word: fields.pointee.position.load())
    return place.depth == 0 ? nil : place.mode
  }
  @inline(__always)
  func addOutside(_ duration: Nanoseconds) { fields.pointee.outside.add(duration) }
  @inline(__always)
  func loseActivation() { fields.pointee.lostActivations.add(1) }

  /// Counts an activity and returns how many came before it. For the loop's thread.
  @discardableResult
  package func countActivity() -> UInt64 {
    let count = fields.pointee.activities.load()
    fields.pointee.activities.store(count &+ 1)
    return count
  }

  /// Counts an activity, unless the observers must look at something rare first; returns whether it did. For the loop's
  /// thread.
  @inline(__always)
  func countPlainActivity() -> Bool {
    let count = fields.pointee.activities.load()
    guard count < SharedWord.own(Fields.last(fields)) else { return false }
    fields.pointee.activities.store(count &+ 1)
    return true
  }

  /// Makes the loop's observers look at what is rare when this many activities have been counted, and at each one from
  /// then on until this is called again. For the loop's thread; any other may call it with 0, which the loop's thread may
  /// replace unseen: then they look when it has said.
  package func attend(from count: UInt64) { fields.pointee.attention.store(count) }

  /// Adds a measured call to ``observerTotal``. For the loop's thread.
  package func addObserverTime(_ duration: Nanoseconds) {
    fields.pointee.observerTotal.add(duration)
    fields.pointee.observerSamples.add(1)
  }

  /// The system's number of the loop's thread; 0 until known.
  package var threadID: UInt64 { fields.pointee.threadID.acquire() }
  /// Sets ``threadID``. Any thread, once.
  package func setThreadID(_ threadID: UInt64) { fields.pointee.threadID.release(threadID) }
  /// The thread's pointer to its control block, which leads to its stack; 0 until known.
  package var threadPointer: UInt64 { fields.pointee.threadPointer.load() }
  /// Sets ``threadPointer``. Call it before ``setThreadID(_:)``.
  package func setThreadPointer(_ pointer: UInt64) { fields.pointee.threadPointer.store(pointer) }
  /// The thread's name when it was first seen, at most 15 bytes; empty if it had none.
  package var threadName: String {
    let bytes = (fields.pointee.threadNameLow.load().littleEndian, fields.pointee.threadNameHigh.load().littleEndian)
    return withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
  /// Sets ``threadName`` from 16 bytes, lowest first. Call it before ``setThreadID(_:)``.
  package func setThreadName(_ low: UInt64, _ high: UInt64) {
    fields.pointee.threadNameLow.store(low)
    fields.pointee.threadNameHigh.store(high)
  }
  /// Whether the loop's thread has ended.
  package var threadHasEnded: Bool { fields.pointee.threadEnded.acquire() != 0 }
  /// When the loop's thread ended, on the monotonic clock; nil while it lives.
  package var threadEndedNs: Nanoseconds? {
    let ended = fields.pointee.threadEnded.acquire()
    return ended == 0 ? nil : ended
  }
  /// Marks the loop's thread as ended. For that thread, as its last access to this memory.
  package func endThread(at now: Nanoseconds) { fields.pointee.threadEnded.release(max(now, 1)) }

  /// Whether observers on this loop must do nothing: in the child, after a fork. Any thread.
  package var isSilenced: Bool { fields.pointee.silenced.load() != 0 }
  /// Makes observers on this loop do nothing from now on. Any thread; async-signal-safe.
  package func silence() {
    fields.pointee.silenced.store(1)
    fields.pointee.attention.store(0)
  }
  /// Empties the region and undoes ``silence()``, so that another loop can use the memory.
  package func clear() {
    Fields.clear(fields)
    runs.clear()
    ticks.clear()
    spells.clear()
    lateFires.clear()
  }
}
