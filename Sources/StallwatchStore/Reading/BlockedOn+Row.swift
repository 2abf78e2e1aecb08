import StallwatchCore

extension BlockedOn {
  /// The columns that ``read(from:)`` reads.
  static let columns = "blocked_on, target, owner_thread_id, owner_name, owner_stack"

  /// Reads the next five columns: what a thread was blocked on, and the row of the stack of the lock's owner, whose
  /// frames are left empty. Nil where it is not known to have been blocked.
  static func read(from row: inout Row) throws(SQLiteFailure) -> (blockedOn: BlockedOn, ownerStack: Int64?)? {
    guard let systemCall = try row.textIfAny(longest: SampleLimits.longestText) else {
      row.skip(4)
      return nil
    }
    let target = try row.textIfAny(longest: SampleLimits.longestText)
    let ownerID: UInt64? = try row.numberIfAny()
    let ownerName = try row.textIfAny(longest: SampleLimits.longestText)
    let ownerStack: Int64? = try row.numberIfAny()
    guard let ownerID else { return (BlockedOn(systemCall: systemCall, target: target), nil) }
    guard let ownerName, let ownerStack else { throw .badContents("a part of a lock's owner is missing") }
    let owner = LockOwner(threadID: ownerID, name: ownerName, frames: [])
    return (BlockedOn(systemCall: systemCall, target: target, owner: owner), ownerStack)
  }
}
