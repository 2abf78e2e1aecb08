import CSQLite
import Foundation

/// The rows of a store, written again by prepared statements and nothing else.
final class RawCopy {
  private struct Table {
    var name: String
    var columns: [String]
    var rows: [[OpaquePointer]]
  }

  private let schema: [String]
  private var tables: [Table] = []

  /// Reads every row into memory.
  init(from path: String) throws {
    let source = try Database(path)
    schema = try source.texts(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
        + "ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END")
    for name in try source.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    {
      let columns = try source.texts("SELECT name FROM pragma_table_info('\(name)')")
      tables.append(Table(name: name, columns: columns, rows: try source.values("SELECT * FROM \(name)")))
    }
  }

  /// Writes them in so many transactions.
  func write(_ path: String, completing: Bool, transactions: Int) throws -> [String: Any] {
    let copy = try Database(path)
    try copy.run(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON")
    for sql in schema { try copy.run(sql) }
    var inserts: [(statement: OpaquePointer, completion: OpaquePointer?, table: Table, perTransaction: Int)] = []
    for table in tables {
      let marks = table.columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
      let begins = completing && table.name == "stalls"
      let completed = ["severity", "duration_ns", "running_ns", "blocked_ns", "starved_ns"]
      let values = table.columns.indices.map { place in
        !begins
          ? "?\(place + 1)"
          : table.columns[place] == "state"
            ? "'began'"
            : completed.contains(table.columns[place]) ? "NULL" : "?\(place + 1)"
      }.joined(separator: ", ")
      let insert = try copy.prepare("INSERT INTO \(table.name) VALUES (\(begins ? values : marks))")
      let setting = table.columns.indices.filter {
        ["state"].contains(table.columns[$0]) || completed.contains(table.columns[$0])
      }
      .map { "\(table.columns[$0]) = ?\($0 + 1)" }.joined(separator: ", ")
      let completion = begins ? try copy.prepare("UPDATE stalls SET \(setting) WHERE id = ?1") : nil
      // What these refer to comes first, whole.
      let isShared = !["stalls", "samples", "stall_timers", "ticks"].contains(table.name)
      inserts.append(
        (insert, completion, table, isShared ? table.rows.count : (table.rows.count + transactions - 1) / transactions))
    }
    // Programs that are watched have other threads, and so has the writer's: locks cost more than with one thread alone.
    Thread { Thread.sleep(forTimeInterval: 86_400) }.start()
    var rows = 0
    let began = ContinuousClock.now
    let cpu = threadCPU()
    for transaction in 0..<transactions {
      try copy.run("BEGIN IMMEDIATE")
      for (statement, completion, table, count) in inserts {
        for place in min(transaction * count, table.rows.count)..<min((transaction + 1) * count, table.rows.count) {
          try copy.run(statement, with: table.rows[place])
          if let completion { try copy.run(completion, with: table.rows[place]) }
          rows += 1
        }
      }
      try copy.run("COMMIT")
    }
    let wall = began.duration(to: .now)
    return ["rows": rows, "wall_ns": Int(wall / .nanoseconds(1)), "cpu_ns": Int(threadCPU() - cpu)]
  }

  private func threadCPU() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
