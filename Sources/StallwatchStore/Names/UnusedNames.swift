import CSQLite
import StallwatchCore

/// Removes names of addresses that no stack, timer or stall of the store has any more.
enum UnusedNames {
  /// Removes them. While somebody records into the store, only those of images that no session has: which addresses of
  /// the others are needed changes all the time.
  static func remove(from connection: Connection) throws(SQLiteFailure) {
    try removeImages(from: connection)
    guard try connection.firstInteger("SELECT EXISTS (SELECT 1 FROM named_images) + EXISTS (SELECT 1 FROM texts)") != 0
    else { return }
    try connection.write { () throws(SQLiteFailure) in
      let running = try connection.firstInteger("SELECT 1 FROM sessions WHERE ended = 'running' LIMIT 1")
      guard running == nil else { return }
      try removeAddresses(from: connection)
      try connection.run(
        """
        DELETE FROM texts WHERE id NOT IN (
          SELECT function FROM names WHERE function IS NOT NULL UNION SELECT module FROM names WHERE module IS NOT NULL
          UNION SELECT file FROM names WHERE file IS NOT NULL UNION SELECT function FROM stack_functions
          UNION SELECT file FROM stack_functions WHERE file IS NOT NULL
          UNION SELECT leaf FROM stack_functions WHERE leaf IS NOT NULL)
        """)
    }
  }

  /// Removes the names of images that no session has, in transactions of some milliseconds, and lets other writers in
  /// between.
  static func removeImages(from connection: Connection) throws(SQLiteFailure) {
    let gone = "build_id NOT IN (SELECT build_id FROM images WHERE build_id IS NOT NULL)"
    guard try connection.firstInteger("SELECT 1 FROM named_images WHERE \(gone) LIMIT 1") != nil else { return }
    let delete = try connection.prepare(
      """
      DELETE FROM names WHERE (image, offset, depth) IN (
        SELECT image, offset, depth FROM names JOIN named_images ON named_images.id = image WHERE \(gone) LIMIT ?1)
      """)
    var isDone = false
    while !isDone {
      try connection.write { () throws(SQLiteFailure) in
        delete.bind(Int64(StoreTending.rowsAtATime), at: 1)
        try delete.run()
        isDone = connection.changes == 0
        if isDone { try connection.run("DELETE FROM named_images WHERE \(gone)") }
      }
      if !isDone { sqlite3_sleep(StoreTending.pauseMilliseconds) }
    }
  }

  private static func removeAddresses(from connection: Connection) throws(SQLiteFailure) {
    let used = try usedAddresses(in: connection)
    let statement = try connection.prepare(
      """
      SELECT DISTINCT image, offset, build_id FROM names JOIN named_images ON named_images.id = image
      """)
    var unused: [(image: Int64, offset: Int64)] = []
    while try statement.step() {
      var row = statement.row
      let (image, offset, buildID): (Int64, Int64, String) = (try row.number(), try row.number(), try row.text())
      if used[buildID]?.contains(UInt64(bitPattern: offset)) != true { unused.append((image, offset)) }
    }
    let delete = try connection.prepare("DELETE FROM names WHERE image = ?1 AND offset = ?2")
    for (image, offset) in unused {
      delete.bind(image, at: 1)
      delete.bind(offset, at: 2)
      try delete.run()
    }
  }

  /// By build-id, the places that are looked up for the store's stacks, timers and stalls.
  private static func usedAddresses(in connection: Connection) throws(SQLiteFailure) -> [String: Set<UInt64>] {
    var used: [String: Set<UInt64>] = [:]
    let sessions = try connection.prepare("SELECT id FROM sessions")
    let stacks = try connection.prepare("SELECT frames FROM stacks WHERE session = ?1")
    let codes = try connection.prepare(StoreNamer.codes(session: "?1"))
    while try sessions.step() {
      var row = sessions.row
      let session: Int64 = try row.number()
      var addresses: Set<UInt64> = []
      stacks.bind(session, at: 1)
      while try stacks.step() {
        var row = stacks.row
        for (place, address) in try row.stack().enumerated() where !StackSample.isMark(address) {
          addresses.insert(place == 0 ? address : address - 1)
        }
      }
      codes.bind(session, at: 1)
      while try codes.step() {
        var row = codes.row
        addresses.insert(UInt64(bitPattern: try row.number(Int64.self)))
      }
      for image in try ImageRecord.all(session: session, in: connection) {
        guard let buildID = image.buildID else { continue }
        for address in addresses where address >= image.start && address < image.end {
          used[buildID, default: []].insert(address &- image.base)
        }
      }
    }
    return used
  }
}
