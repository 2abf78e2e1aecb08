/// The writer's statements about samples, stacks and images. A parameter's number is its place in the statement's
/// column list. For the writer's thread.
struct SampleStatements {
  let insertImage: Statement
  let findStack: Statement
  let insertStack: Statement
  let findStall: Statement
  let deleteSamples: Statement
  let insertSample: Statement
  let setCause: Statement
  let addToProfile: Statement

  init(_ connection: Connection) throws(SQLiteFailure) {
    insertImage = try connection.prepare(
      """
      INSERT INTO images (session, number, path, build_id, base_address, start_address, end_address)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    findStack = try connection.prepare("SELECT id FROM stacks WHERE session = ?1 AND hash = ?2 AND frames = ?3")
    insertStack = try connection.prepare("INSERT INTO stacks (session, hash, frames) VALUES (?1, ?2, ?3)")
    findStall = try connection.prepare("SELECT id FROM stalls WHERE session = ?1 AND number = ?2")
    deleteSamples = try connection.prepare("DELETE FROM samples WHERE stall = ?1")
    insertSample = try connection.prepare(
      """
      INSERT INTO samples (stall, number, at_ns, weight_ns, activity, stack, blocked_on, target, owner_thread_id,
        owner_name, owner_stack)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """)
    setCause = try connection.prepare(
      "UPDATE stalls SET running_ns = ?2, blocked_ns = ?3, starved_ns = ?4 WHERE id = ?1")
    // SQLite turns a sum beyond 2^63 - 1 into a floating-point number, which the table would refuse.
    addToProfile = try connection.prepare(
      """
      INSERT INTO profile_stacks (loop, stack, count, weight_ns) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (loop, stack) DO UPDATE SET count = min(count + excluded.count, 9223372036854775807),
        weight_ns = min(weight_ns + excluded.weight_ns, 9223372036854775807)
      """)
  }
}
