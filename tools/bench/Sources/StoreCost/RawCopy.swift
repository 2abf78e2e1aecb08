import CSQLite
import Foundation

/// The rows of a store, written again by prepared statements and nothing else.
final class RawCopy {
  private struct Table {
    var name: String
    var columns: [String]
    var rows: [[OpaquePointer]]

    /// The transaction of each row, of so many. What belongs to a stall comes with it. Stalls and ticks are spread
    /// evenly. All others come first, because these refer to them.
    func transactions(in count: Int, ofStalls stalls: [Int64: Int]) -> [Int] {
      if let stall = columns.firstIndex(of: "stall") {
        return rows.map { stalls[sqlite3_value_int64($0[stall])] ?? 0 }
      }
      let isSpread = ["stalls", "ticks"].contains(name)
      return rows.indices.map { isSpread ? $0 * count / rows.count : 0 }
    }
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

  /// Writes them in so many transactions, with a pause of so many microseconds before each.
  func write(_ path: String, completing: Bool, transactions: Int, pause: UInt32) throws -> [String: Any] {
    let copy = try Database(path)
    try copy.run(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON")
    for sql in schema { try copy.run(sql) }
    var stalls: [Int64: Int] = [:]
    for table in tables where table.name == "stalls" {
      for (row, transaction) in zip(table.rows, table.transactions(in: transactions, ofStalls: [:])) {
        stalls[sqlite3_value_int64(row[0])] = transaction
      }
    }
    var inserts: [(statement: OpaquePointer, completion: OpaquePointer?, rows: [[[OpaquePointer]]])] = []
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
      var rows = [[[OpaquePointer]]](repeating: [], count: transactions)
      for (row, transaction) in zip(table.rows, table.transactions(in: transactions, ofStalls: stalls)) {
        rows[transaction].append(row)
      }
      inserts.append((insert, completion, rows))
    }
    // Programs that are watched have other threads, and so has the writer's: locks cost more than with one thread alone.
    Thread { Thread.sleep(forTimeInterval: 86_400) }.start()
    var rows = 0
    let began = ContinuousClock.now
    let cpu = threadCPU()
    for transaction in 0..<transactions {
      if pause > 0 { usleep(pause) }
      try copy.run("BEGIN IMMEDIATE")
      for (statement, completion, parts) in inserts {
        for row in parts[transaction] {
          try copy.run(statement, with: row)
          if let completion { try copy.run(completion, with: row) }
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
