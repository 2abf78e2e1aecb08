import CoreFoundation
import StallwatchCore

/// A loop under watch: CF's object, its memory, the observers on its modes, and what the watchdog knows of it.
///
/// `modes` and `refusedModes` are changed under the registry's lock only. `reader`, `tracker` and what follows them belong to the watchdog.
final class WatchedLoop: @unchecked Sendable {
  let id: LoopID
  let loop: CFRunLoop
  let memory: LoopMemory
  /// The name it was watched by; nil: its thread's name.
  let givenName: String?
  let isMain: Bool
  let startedNs: Nanoseconds
  private(set) var modes: [AttachedMode] = []
  private var refusedModes: [CFRunLoopMode] = []
  /// Nil with the drift probe off.
  private let driftModes: DriftModes?

  var reader: LoopReader
  var tracker: StallTracker
  var away: AwayTracker
  /// The stay outside any run that goes on.
  var outside: OutsideStay?
  /// Its ticks; nil with the drift probe off.
  var drift: LoopDrift?
  /// Whether the recorder has been told of the loop, and of how many of its modes.
  var isAnnounced = false
  var announcedModes = 0
  /// The names of those that were told, by their places, and how slots know them.
  var modeNames: [String] = []
  var modeHashes: [UInt64] = []
  /// Looks for its timers; nil where they are not looked for.
  var scan: LoopScan?
  /// The start of a span in which the loop was found in a mode not yet observed.
  var unseenSpan: Nanoseconds?
  /// When the watchdog last looked for new modes, the board's time outside runs then, and whether there was any activity.
  var modesSeenNs: Nanoseconds
  var modesSeenOutside: Nanoseconds = 0
  var wasSeenActive = false
  /// Since when, and how often, the watchdog has looked for an unobserved run while the loop was outside any run.
  var outsideSince: Nanoseconds?
  var nextOutsideCheck: Nanoseconds = 0

  init(
    id: LoopID, loop: CFRunLoop, memory: LoopMemory, givenName: String?, threshold: Nanoseconds, startedNs: Nanoseconds,
    grid: DueGrid? = nil, driftModes: [String] = []
  ) {
    self.id = id
    self.loop = loop
    self.memory = memory
    self.givenName = givenName
    self.startedNs = startedNs
    self.driftModes = grid == nil ? nil : DriftModes(chosen: driftModes)
    drift = grid.map { LoopDrift(pairing: DriftPairing(loop: id, grid: $0, startedNs: startedNs)) }
    modesSeenNs = startedNs
    isMain = CFEqual(loop, CFRunLoopGetMain())
    reader = LoopReader(loop: id, board: memory.board, queue: memory.queue)
    tracker = StallTracker(loop: id, threshold: threshold)
    away = AwayTracker(loop: id, threshold: threshold)
  }

  /// A mode's observers, if it has any. Compares pointers first: a mode's name is nearly always the same object.
  func attached(_ mode: CFRunLoopMode) -> AttachedMode? {
    for attached in modes where attached.name === mode { return attached }
    return modes.first { CFEqual($0.name, mode) }
  }

  /// Adds observers to a mode. Any thread, under the registry's lock. Returns false when the table of modes is full or
  /// there is no memory.
  func attach(_ mode: CFRunLoopMode, at now: Nanoseconds) -> Bool {
    guard modes.count < ProbeConfiguration.maximumModes, let counters = memory.counters(at: modes.count),
      let attached = AttachedMode(mode, counters: counters, tap: memory.taps + modes.count, at: now)
    else { return false }
    modes.append(attached)
    attached.add(to: loop)
    return true
  }

  /// Looks in which modes the drift probe is now. Any thread, under the registry's lock.
  func lookForCommonModes() {
    if let driftModes { memory.board.setDriftModes(driftModes.places(in: loop, among: modes)) }
  }

  /// Notes that a mode has found no room. Returns false when that was known before. Under the registry's lock.
  func refuse(_ mode: CFRunLoopMode) -> Bool {
    if refusedModes.contains(where: { CFEqual($0, mode) }) { return false }
    refusedModes.append(mode)
    return true
  }

  /// Removes all observers. Never invalidates them: that is not safe while the loop's thread runs.
  func detach() {
    for mode in modes { mode.remove(from: loop) }
  }
}
