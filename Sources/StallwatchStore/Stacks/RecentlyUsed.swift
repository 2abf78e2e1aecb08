/// A dictionary of bounded size that forgets the keys not asked for lately.
///
/// It has two generations. When the younger is full, it replaces the older; a key asked for moves into the younger. So
/// it knows each of the last `capacity / 2` keys asked for, and needs no list in order of use.
struct RecentlyUsed<Key: Hashable, Value> {
  private var younger: [Key: Value] = [:]
  private var older: [Key: Value] = [:]
  private let generation: Int

  /// A dictionary of at most `capacity` values; two at least.
  init(capacity: Int) { generation = max(capacity / 2, 1) }

  /// How many values it holds.
  var count: Int { younger.count + older.count }

  /// The value of `key`; nil when the key is not, or no longer, known.
  mutating func value(of key: Key) -> Value? {
    if let value = younger[key] { return value }
    guard let value = older.removeValue(forKey: key) else { return nil }
    insert(value, of: key)
    return value
  }

  /// Stores the value of a key that is not known.
  mutating func insert(_ value: Value, of key: Key) {
    if younger.count >= generation {
      older = younger
      younger = [:]
    }
    younger[key] = value
  }

  /// Forgets everything.
  mutating func removeAll() {
    younger = [:]
    older = [:]
  }
}
