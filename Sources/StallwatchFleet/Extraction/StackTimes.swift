import StallwatchCore
import StallwatchReport
import StallwatchStore

/// Adds up the looks at the stalls of one hour by stack, and names each stack once.
struct StackTimes {
  private struct Key: Hashable {
    var signature: String
    var stack: UInt64
  }

  private let stacks: StackReader<StoreReader>
  private let session: Int64
  private var times: [Key: (looks: UInt64, weight: Nanoseconds)] = [:]
  /// The hashes of stacks by their rows in the store.
  private var hashes: [Int64: UInt64] = [:]
  /// The stacks that were named already.
  private var named: Set<UInt64> = []
  /// The most pairs of signature and stack in one hour. Further stacks count as ``rest``.
  private static let mostTimes = 20_000
  /// The most hashes that are kept in each of the two tables. Beyond that, a stack may be named twice.
  private static let mostHashes = 50_000

  /// Stands for stacks beyond ``mostTimes``.
  private static let rest = ["many functions"]
  /// Stands for stacks without a readable function.
  private static let unread = ["unknown"]

  init(session: Int64, stacks: StackReader<StoreReader>) { (self.session, self.stacks) = (session, stacks) }

  /// Adds the looks at a stall. Calls `name` for every new stack.
  mutating func add(
    _ samples: [BriefSample], signature: String, _ name: (_ stack: UInt64, _ frames: [String]) throws -> Void
  ) throws {
    for sample in samples {
      var key = Key(signature: signature, stack: try hash(of: sample.look.stack, name))
      if times[key] == nil, times.count >= Self.mostTimes { key.stack = try hash(of: Self.rest, name) }
      let time = times[key] ?? (0, 0)
      times[key] = (time.looks.saturatingAdd(1), time.weight.saturatingAdd(sample.weight))
    }
  }

  /// The sums since the last call, which begin anew.
  mutating func taken() -> [StackTimesRow.Time] {
    defer { times = [:] }
    return times.map { key, time in
      StackTimesRow.Time(signature: key.signature, stack: key.stack, looks: time.looks, weight: time.weight)
    }.sorted { ($0.signature, $0.stack) < ($1.signature, $1.stack) }
  }

  private mutating func hash(
    of row: Int64, _ name: (UInt64, [String]) throws -> Void
  ) throws -> UInt64 {
    if let known = hashes[row] { return known }
    let path = try stacks.path(stack: row, session: session)
    let hash = try hash(of: path.isEmpty ? Self.unread : path, name)
    if hashes.count >= Self.mostHashes { hashes = [:] }
    hashes[row] = hash
    return hash
  }

  private mutating func hash(of frames: [String], _ name: (UInt64, [String]) throws -> Void) throws -> UInt64 {
    let hash = StableHash.of(frames)
    if named.count >= Self.mostHashes { named = [] }
    if named.insert(hash).inserted { try name(hash, frames) }
    return hash
  }
}
