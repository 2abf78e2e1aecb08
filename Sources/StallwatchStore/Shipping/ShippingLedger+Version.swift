import StallwatchCore

extension ShippingLedger {
  /// Its name among the settings.
  private static let name = "version"

  /// A version for rows that are about to be made: of two rows with one key the one with the higher version holds. It
  /// is `wall`, the time in nanoseconds since 1970, and where the clock was set back one more than the highest before.
  /// The next ``put(_:moving:saying:)`` notes it: without one, no row has left that has it.
  package func nextVersion(at wall: UInt64) -> UInt64 {
    highestVersion = max(wall, highestVersion.saturatingAdd(1))
    return highestVersion
  }

  /// Notes the highest version. For a transaction.
  func putVersion() throws(SQLiteFailure) {
    statements.setSetting.bind(Self.name, at: 1)
    statements.setSetting.bind(String(highestVersion), at: 2)
    try statements.setSetting.run()
  }

  /// The highest version that was noted; 0 where none was.
  func readVersion() throws(SQLiteFailure) -> UInt64 {
    let find = statements.findSetting
    find.bind(Self.name, at: 1)
    defer { find.reset() }
    guard try find.step() else { return 0 }
    var row = find.row
    guard let version = UInt64(try row.text()) else { throw .badContents("a version is no number") }
    return version
  }
}
