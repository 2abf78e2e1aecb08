import CoreFoundation
import StallwatchCore
import Synchronization

/// A loop under watch: CF's object, its memory, the observers on its modes, and what the watchdog knows of it.
///
/// `reader`, `tracker` and everything after them belong to the watchdog's thread.
final class WatchedLoop: @unchecked Sendable {
  /// What is released when the loop's thread ends.
  fileprivate struct Hold: @unchecked Sendable {
    /// Nil once released: the loop, with its descriptors, then goes as it would without us.
    var loop: CFRunLoop?
    var modes: [AttachedMode] = []
    var refusedModes: [CFRunLoopMode] = []
    /// Nil before the loop's ticks begin.
    var driftModes: DriftModes?
  }

  private(set) var id = LoopID(rawValue: 0)
  /// Whether it is a run loop or another lane.
  private(set) var kind = LaneKind.runLoop
  /// The address of CF's object, for comparison only; after this loop's thread has ended, another loop may lie there.
  private(set) var object: UInt = 0
  let memory: LoopMemory
  /// The name it was watched by; nil: use its thread's name.
  private(set) var givenName: String?
  private(set) var isMain = false
  private(set) var startedNs: Nanoseconds = 0
  private let hold: Lock<Hold>
  private let ending = Atomic<Bool>(false)
  /// How many modes are attached.
  private let attachedModes = Atomic<Int>(0)
  /// Its index among the loops in the registry's table for the watchdog. Watchdog's thread only.
  var place = 0

  var reader: LoopReader
  var tracker: StallTracker {
    didSet { isStalled = tracker.current != nil }
  }
  var away: AwayTracker {
    didSet { (isAway, awaySince) = (away.sinceNs != nil, away.current?.startedNs) }
  }
  // What every pass asks of these two, by itself: to read one of them copies all of it.
  /// Whether a stall is under way, as far as known.
  private(set) var isStalled = false
  /// Whether work is due at a loop outside any run, and since when the away goes on that came of it; nil: none.
  private(set) var isAway = false
  private(set) var awaySince: Nanoseconds?
  /// The stay outside any run that goes on now.
  var outside: OutsideStay?
  /// Its ticks; nil before they begin, and with the drift probe off.
  var drift: LoopDrift?
  /// Whether the recorder knows the loop, and how many of its modes.
  var isAnnounced = false
  var announcedModes = 0
  /// The names of those modes, by place, and the hashes by which timer slots know them.
  var modeNames: [String] = []
  var modeHashes: [UInt64] = []
  /// The start of a span in which the loop was found in a mode not yet observed.
  var unseenSpan: Nanoseconds?
  /// When the watchdog last looked for new modes, the loop's time outside runs then, and whether it saw any activity.
  var modesSeenNs: Nanoseconds = 0
  var modesSeenOutside: Nanoseconds = 0
  var wasSeenActive = false
  /// The two looks for new modes between which the newest modes appeared.
  var newModes: (sinceNs: Nanoseconds, foundNs: Nanoseconds)?
  /// While the loop is outside any run: since when the watchdog looks for an unobserved run, and when it looks next.
  var outsideSince: Nanoseconds?
  var nextOutsideCheck: Nanoseconds = 0

  /// Makes a place for a future loop, so that no thread of the program has to allocate for it then.
  init(memory: LoopMemory) {
    self.memory = memory
    var hold = Hold()
    hold.modes.reserveCapacity(Self.usualModes)
    self.hold = Lock(hold)
    reader = LoopReader(loop: id, region: memory.region)
    tracker = StallTracker(loop: id, threshold: memory.threshold)
    away = AwayTracker(loop: id, threshold: memory.threshold)
  }

  /// Brings a run loop under watch. Called once, on its own thread or the one that asks, before any other sees it.
  func begin(_ id: LoopID, loop: CFRunLoop, name: String?, at now: Nanoseconds) {
    hold.withLock { $0.loop = loop }
    begin(id, .runLoop, object: Self.object(of: loop), isMain: Self.isMain(loop), name: name, at: now)
  }

  /// Brings a lane of one mode that CoreFoundation does not know under watch, in the same way. False when there is no
  /// memory for the mode.
  func begin(
    _ id: LoopID, _ kind: LaneKind, object: UInt, isMain: Bool, name: String?, mode: CFRunLoopMode, at now: Nanoseconds
  ) -> Bool {
    guard let counters = memory.counters(at: 0), let observers = memory.observers(at: 0) else { return false }
    // Its observers are added nowhere.
    hold.withLock { $0.modes = [AttachedMode(mode, counters: counters, observers: observers, at: now)] }
    attachedModes.store(1, ordering: .releasing)
    begin(id, kind, object: object, isMain: isMain, name: name, at: now)
    return true
  }

  private func begin(
    _ id: LoopID, _ kind: LaneKind, object: UInt, isMain: Bool, name: String?, at now: Nanoseconds
  ) {
    self.id = id
    self.kind = kind
    self.object = object
    self.isMain = isMain
    givenName = name
    startedNs = now
    modesSeenNs = now
    reader = LoopReader(loop: id, region: memory.region, from: now)
    tracker = StallTracker(loop: id, threshold: memory.threshold)
    away = AwayTracker(loop: id, threshold: memory.threshold)
    memory.begin(at: now)
  }

  /// The number of modes that most loops have.
  private static let usualModes = 2

  /// CF's object. Only on the loop's own thread, which keeps it alive.
  var loop: CFRunLoop {
    Unmanaged<CFRunLoop>.fromOpaque(UnsafeRawPointer(bitPattern: object).unsafelyUnwrapped).takeUnretainedValue()
  }

  /// Whether a loop is the main thread's. Any thread, without a lock.
  static func isMain(_ loop: CFRunLoop) -> Bool { object(of: loop) == mainObject }

  /// Asked once: CF takes a lock for it on which all threads spin that begin or end a loop.
  private static let mainObject = object(of: CFRunLoopGetMain())

  /// A CFRunLoop's address, by which loops are compared.
  static func object(of loop: CFRunLoop) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(loop).toOpaque()) }

  /// Calls `body` with CF's object, on any thread; nil when the loop's thread has ended.
  func withLoop<Result>(_ body: (CFRunLoop) -> Result) -> Result? {
    // The lock is held throughout, so nothing is shared.
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var result: Result?
    hold.withLock { hold in
      if let loop = hold.loop { result = body(loop) }
    }
    return result
  }

  /// The modes attached so far. Any thread.
  var modes: [AttachedMode] { hold.withLock { $0.modes } }

  /// How many there are. Any thread, without a lock.
  var modeCount: Int { attachedModes.load(ordering: .acquiring) }

  /// The result of ``attach(_:unless:)``.
  enum Attachment {
    /// The mode has got observers; it had none before.
    case new(AttachedMode)
    case known(AttachedMode)
    /// No room for the mode, as at an earlier attempt.
    case refusedBefore
    case refused
    /// The loop's thread has ended, or watching has stopped.
    case over
  }

  /// Adds observers to a mode if it has none. Any thread.
  func attach(_ mode: CFRunLoopMode, unless isClosed: () -> Bool) -> Attachment {
    hold.withLock { hold in
      if let known = hold.attached(mode) { return .known(known) }
      guard let loop = hold.loop, !isClosed() else { return .over }
      let place = hold.modes.count
      guard place < ProbeConfiguration.maximumModes, let counters = memory.counters(at: place),
        let observers = memory.observers(at: place)
      else { return hold.refuse(mode) ? .refused : .refusedBefore }
      let attached = AttachedMode(mode, counters: counters, observers: observers, at: Platform.now())
      hold.modes.append(attached)
      attachedModes.store(hold.modes.count, ordering: .releasing)
      attached.add(to: loop)
      return .new(attached)
    }
  }

  /// Whether a mode has observers. Any thread.
  func isAttached(_ mode: CFRunLoopMode) -> Bool { hold.withLock { $0.attached(mode) != nil } }

  /// Begins the loop's ticks after `now`, in its common modes and in those in `chosen`. Watchdog's thread only.
  func beginTicks(of grid: DueGrid, in chosen: [String], at now: Nanoseconds) {
    guard let driftModes = DriftModes(chosen: chosen) else { return }
    let isBegun = hold.withLock { hold in
      guard hold.loop != nil else { return false }
      hold.driftModes = driftModes
      return true
    }
    guard isBegun else { return }
    lookForCommonModes()
    drift = LoopDrift(pairing: DriftPairing(loop: id, grid: grid, ticksFrom: now))
    memory.region.beginTicks(of: grid, after: now)
  }

  /// Updates the modes that the drift probe ticks in, if the loop has ticks. Any thread.
  func lookForCommonModes() {
    hold.withLock { hold in
      guard let loop = hold.loop, let driftModes = hold.driftModes else { return }
      memory.region.setDriftModes(driftModes.places(in: loop, among: hold.modes))
    }
  }

  /// Releases CF's objects because the loop's thread ends. If another thread uses them at that moment, leaves it to
  /// ``leave()``.
  func leaveIfFree() {
    // First: CF frees what is released, and the next loop of any thread may lie at its address.
    ending.store(true, ordering: .sequentiallyConsistent)
    _ = hold.withLockIfAvailable { $0.leave() }
  }

  /// Whether its thread is ending or has ended, so that a loop at its address may be another one. Any thread.
  var isEnding: Bool { ending.load(ordering: .sequentiallyConsistent) }

  /// Releases CF's objects and removes all observers. Any thread.
  func leave() { hold.withLock { $0.leave() } }
}

extension WatchedLoop.Hold {
  /// A mode's observers; nil if it has none. Compares pointers first: a mode's name is nearly always the same object.
  fileprivate func attached(_ mode: CFRunLoopMode) -> AttachedMode? {
    for attached in modes where attached.name === mode { return attached }
    return modes.first { CFEqual($0.name, mode) }
  }

  /// Notes that a mode found no room. Returns false if that was known.
  fileprivate mutating func refuse(_ mode: CFRunLoopMode) -> Bool {
    if refusedModes.contains(where: { CFEqual($0, mode) }) { return false }
    refusedModes.append(mode)
    return true
  }

  fileprivate mutating func leave() {
    guard let loop else { return }
    // Never invalidated: invalidating is not safe while the loop's thread runs.
    for mode in modes { mode.remove(from: loop) }
    self.loop = nil
  }
}
