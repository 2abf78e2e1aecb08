extension Migration {
  /// Lanes other than run loops. Where this was written there were three kinds, which the column's comment names; the store
  /// holds it, so that it never changes. ``LaneKind`` names all that there are. Not `kind`: views of
  /// older versions name a stall's and a timer's so, beside loops.
  static let version7 = Migration(
    version: 7,
    sql: """
      ALTER TABLE loops ADD COLUMN lane_kind TEXT NOT NULL /* what the lane is: run loop, event loop or main queue */
        DEFAULT 'run loop';
      """)
}
