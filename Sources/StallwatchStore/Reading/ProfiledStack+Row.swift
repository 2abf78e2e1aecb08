import StallwatchCore

extension ProfiledStack {
  /// The stacks of a loop's profile, heaviest first. Throws if a stack is missing, rather than leave it out.
  static func all(loop: Int64, in connection: Connection) throws(SQLiteFailure) -> [ProfiledStack] {
    let statement = try connection.prepare(
      """
      SELECT loops.number, frames, count, weight_ns, stack
      FROM profile_stacks JOIN loops ON loops.id = profile_stacks.loop LEFT JOIN stacks ON stacks.id = stack
      WHERE loop = ?1 ORDER BY weight_ns DESC, stack
      """)
    statement.bind(loop, at: 1)
    var stacks: [ProfiledStack] = []
    var sums = (count: UInt64(0), weight: UInt64(0))
    var last: (weight: UInt64, stack: Int64)?
    while try statement.step() {
      var row = statement.row
      let number = LoopID(rawValue: try row.number())
      let stack = ProfiledStack(
        loop: number, frames: try row.stack(), count: try row.number(), weight: try row.number())
      // Bounds the sums, so that callers can add without a trap.
      sums = (sums.count.saturatingAdd(stack.count), sums.weight.saturatingAdd(stack.weight))
      guard max(sums.count, sums.weight) <= UInt64(Int64.max) else {
        throw .badContents("a profile's sum is too large")
      }
      let place: (weight: UInt64, stack: Int64) = (stack.weight, try row.number())
      if let last, (place.weight, last.stack) >= (last.weight, place.stack) {
        throw .badContents("a stack occurs twice in a profile")
      }
      last = place
      stacks.append(stack)
    }
    return stacks
  }
}
