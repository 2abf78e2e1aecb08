/// A dictionary of bounded size that forgets what was not asked for lately.
///
/// Two generations: when the younger is full, the older is dropped and the younger takes its place; what is asked for
/// comes into the younger. So any of the last `capacity / 2` keys asked for is there, without a list to keep in order.
struct RecentlyUsed<Key: Hashable, Value> {
  private var younger: [Key: Value] = [:]
  private var older: [Key: Value] = [:]
  private let generation: Int

  /// Holds at most `capacity` values, two at least.
  init(capacity: Int) { generation = max(capacity / 2, 1) }

  /// How many values are held.
  var count: Int { younger.count + older.count }

  /// The value of `key`, if it is still known.
  mutating func value(of key: Key) -> Value? {
    if let value = younger[key] { return value }
    guard let value = older.removeValue(forKey: key) else { return nil }
    insert(value, of: key)
    return value
  }

  /// Keeps the value of a key that is not known.
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
