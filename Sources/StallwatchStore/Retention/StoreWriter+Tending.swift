import StallwatchCore
import StallwatchLibc

extension StoreWriter {
  /// Finds out what is to be done for the store's limits; ``tend()`` does it. Nothing without limits.
  ///
  /// - Parameter wallNow: Nanoseconds since 1970.
  func beginTending(wallNow: Nanoseconds) throws(SQLiteFailure) {
    guard let tending else { return }
    try withoutWaiting { () throws(SQLiteFailure) in
      try tending.begin(ownNow: state.lastSeenNs, wallNow: wallNow)
    }
  }

  /// Does a part of it. Returns whether more may be left.
  func tend() throws(SQLiteFailure) -> Bool {
    guard let tending else { return false }
    return try withoutWaiting { () throws(SQLiteFailure) in try tending.step() }
  }

  /// Fails at once while another process writes: this work can wait, and must not make others wait.
  private func withoutWaiting<Result>(
    _ body: () throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result {
    connection.waitForLocks(0)
    defer { connection.waitForLocks(busyTimeout) }
    return try body()
  }
}

/// The steps of tending that a writer's thread takes after a closing, while no record waits.
struct TendingTurn {
  /// A step takes some milliseconds; so many a minute catch up with whatever a program records.
  static let stepsAtATime = 64
  private var stepsLeft = 0
  /// Whether a turn is due: figures have come into the store, or it has just been opened.
  var isDue = true
  /// Whether one is due or has begun.
  var isOpen: Bool { isDue || stepsLeft > 0 }

  /// Begins a turn that is due, and goes on with one that has begun, for as long as `mayGoOn` says.
  mutating func goOn(_ writer: StoreWriter, while mayGoOn: () -> Bool) throws(SQLiteFailure) {
    guard writer.tending != nil, isOpen, mayGoOn() else { return }
    if isDue {
      (isDue, stepsLeft) = (false, 0)
      try writer.beginTending(wallNow: wallClockNow())
      stepsLeft = Self.stepsAtATime
    }
    while stepsLeft > 0, mayGoOn() {
      let steps = stepsLeft
      // If the step fails, the next closing brings another turn.
      stepsLeft = 0
      if try writer.tend() { stepsLeft = steps - 1 }
    }
  }
}

/// The wall clock: nanoseconds since 1970.
func wallClockNow() -> Nanoseconds {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Nanoseconds(max(time.tv_sec, 0)) * .second + Nanoseconds(time.tv_nsec)
}
