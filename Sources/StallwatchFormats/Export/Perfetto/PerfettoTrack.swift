import StallwatchReport
import StallwatchStore

/// The tracks of a loop in a trace.
enum PerfettoTrack: CaseIterable {
  /// Stalls, and the functions called in them.
  case calls
  /// Running, blocked or starved.
  case activity
  /// The modes in which it stalled.
  case modes
  /// What the program reported about itself when stalls began.
  case annotations
  /// What its busy time went to.
  case profile

  /// The track's thread number. A track that is not a thread gets a number far above Linux's largest (2^22).
  func thread(of loop: StoredLoop) -> UInt64 {
    let row = UInt64(bitPattern: loop.id) % (1 << 40)
    switch self {
    case .calls: return loop.record.threadID
    case .activity: return 1 << 32 + row * 4
    case .modes: return 1 << 32 + row * 4 + 1
    case .annotations: return 1 << 32 + row * 4 + 2
    case .profile: return 1 << 32 + row * 4 + 3
    }
  }

  /// The track's name.
  func name(of loop: StoredLoop) -> String {
    switch self {
    case .calls: loop.record.name
    case .activity: "\(loop.record.name): doing"
    case .modes: "\(loop.record.name): mode"
    case .annotations: "\(loop.record.name): annotations"
    case .profile: "\(loop.record.name): profile of busy time, laid end to end"
    }
  }

  /// The track of a thread that held a lock. It is not the thread's own track, which may already have slices.
  static func thread(ofOwner threadID: UInt64) -> UInt64 { 1 << 48 + threadID % (1 << 32) }
}
