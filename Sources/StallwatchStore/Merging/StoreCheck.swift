import StallwatchCore

/// Reads all of a store, as a report would, so that unreadable contents show before they are copied: copied, they would
/// make the whole merged store unreadable.
enum StoreCheck {
  /// Throws ``StoreError`` if anything in the store is not what its schema promises.
  static func readAll(_ reader: StoreReader) throws {
    let verdict = try reader.access.read { connection throws(SQLiteFailure) in
      try connection.firstText("PRAGMA quick_check(1)")
    }
    guard verdict == "ok" else {
      throw StoreError.damaged(path: reader.access.path, detail: verdict ?? "it cannot be checked")
    }
    try reader.checkNames()
    _ = try reader.stallTotals()
    _ = try reader.removals()
    _ = try reader.worstStalls(limit: 1)
    for session in try reader.sessions() {
      try reader.forEachWindow(session: session.id) { _ in }
      _ = try reader.health(session: session.id)
      _ = try reader.images(session: session.id)
      try reader.forEachTimer(session: session.id) { _ in }
      try reader.forEachTimerWindow(session: session.id) { _, _ in }
      try reader.forEachTickWindow(session: session.id) { _, _ in }
      try reader.forEachTick(session: session.id) { _ in }
      for loop in try reader.loops(session: session.id) {
        _ = try reader.modes(loop: loop.id)
        _ = try reader.profile(loop: loop.id)
      }
    }
    try reader.forEachStall { _ in }
    try reader.forEachSampledStall { _, _ in }
  }
}
