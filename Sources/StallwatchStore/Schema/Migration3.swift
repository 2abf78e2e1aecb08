extension Migration {
  /// Why a session's monitor could not look at running threads.
  static let version3 = Migration(
    version: 3,
    sql: """
      ALTER TABLE health ADD COLUMN signal_obstacle TEXT /* why running threads were not looked at; NULL: they were */;
      """)
}
