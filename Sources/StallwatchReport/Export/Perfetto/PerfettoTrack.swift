import StallwatchStore

/// The tracks that a loop has in a trace.
enum PerfettoTrack: CaseIterable {
  /// Stalls, and what was called in them.
  case calls
  /// Running, blocked, starved.
  case activity
  /// The modes in which it stalled.
  case modes

  /// The track's thread number. Those that stand for no thread are far above any that Linux gives (2^22 at most).
  func thread(of loop: StoredLoop) -> UInt64 {
    let row = UInt64(bitPattern: loop.id) % (1 << 40)
    switch self {
    case .calls: return loop.record.threadID
    case .activity: return 1 << 32 + row * 2
    case .modes: return 1 << 32 + row * 2 + 1
    }
  }

  /// What the track is called.
  func name(of loop: StoredLoop) -> String {
    switch self {
    case .calls: loop.record.name
    case .activity: "\(loop.record.name): doing"
    case .modes: "\(loop.record.name): mode"
    }
  }

  /// The track of a thread that held a lock: not its own, where slices may already stand.
  static func thread(ofOwner threadID: UInt64) -> UInt64 { 1 << 48 + threadID % (1 << 32) }
}
