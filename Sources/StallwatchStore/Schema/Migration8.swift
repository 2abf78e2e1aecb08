extension Migration {
  /// Who waited, where a stall is a wait.
  static let version8 = Migration(
    version: 8,
    sql: """
      ALTER TABLE stalls ADD COLUMN waiter INTEGER /* the code that the item which waited first was to run, an address in
        the process with its 64 bits as a signed number; NULL: not known, or the stall is no wait */;
      """)
}
