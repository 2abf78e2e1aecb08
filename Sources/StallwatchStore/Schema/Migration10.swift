extension Migration {
  /// Texts that are found without being read all.
  static let version10 = Migration(version: 10, sql: "CREATE INDEX texts_by_text ON texts (text);")
}
