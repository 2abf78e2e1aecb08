extension ShippingLedger {
  /// The bytes that were remembered under a key; nil for none.
  package func recall(_ key: String) throws(LedgerError) -> [UInt8]? {
    try reporting { () throws(SQLiteFailure) -> [UInt8]? in
      let find = try connection.prepare("SELECT body FROM memory WHERE key = ?1")
      find.bind(key, at: 1)
      guard try find.step() else { return nil }
      var row = find.row
      return try row.bytesIfAny { bytes throws(SQLiteFailure) in Array(bytes) }
    }
  }

  /// Remembers what a delivery needs to know at the next one, and forgets what it remembered before `moment`, in seconds
  /// since 1970.
  package func remember(
    _ bodies: [(key: String, body: [UInt8])], at now: UInt32, forgetting moment: UInt32
  ) throws(LedgerError) {
    try writing { () throws(SQLiteFailure) in
      let put = try connection.prepare("INSERT OR REPLACE INTO memory VALUES (?1, ?2, ?3)")
      for (key, body) in bodies {
        put.bind(key, at: 1)
        put.bind(body, at: 2)
        put.bind(Int64(now), at: 3)
        try put.run()
      }
      try connection.run("DELETE FROM memory WHERE at < \(moment)")
    }
  }
}
