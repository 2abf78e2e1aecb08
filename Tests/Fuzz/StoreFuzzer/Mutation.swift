import CSQLite
import Foundation
import SeededNumbers

/// What lies in the folder that is read.
struct Mutant {
  var store: Data
  /// By suffix of their names: `-wal`, `-shm`, `-journal`.
  var companions: [String: Data] = [:]
  /// What was done to it, for whoever looks into a finding.
  var history: [String] = []
}

/// Ways to break a store.
enum Mutation: CaseIterable {
  case bytes, page, truncation, pageCopy, pointer, header, statements, schema, histogram, text, companion, log

  static func mutant(of samples: SampleStores, scratch: String, _ chance: inout RandomNumbers) -> Mutant {
    var mutant = Mutant(store: samples.whole)
    for _ in 0..<(1 + chance.below(3)) {
      let mutation = chance.pick(allCases)
      mutation.apply(to: &mutant, samples, scratch, &chance)
    }
    return mutant
  }

  private func apply(to mutant: inout Mutant, _ samples: SampleStores, _ scratch: String, _ chance: inout RandomNumbers)
  {
    switch self {
    case .bytes: Self.flip(1 + chance.below(12), in: &mutant, 0..<mutant.store.count, &chance)
    case .page: Self.flip(1 + chance.below(60), in: &mutant, Self.page(of: mutant, &chance), &chance)
    case .truncation:
      let length = chance.below(mutant.store.count)
      mutant.store = mutant.store.prefix(chance.below(2) == 0 ? length : length / Self.pageSize * Self.pageSize)
      mutant.history.append("cut to \(mutant.store.count)")
    case .pageCopy:
      let (from, to) = (Self.page(of: mutant, &chance), Self.page(of: mutant, &chance))
      guard from.count == to.count else { return }
      mutant.store.replaceSubrange(to, with: Data(mutant.store[from]))
      mutant.history.append("page at \(from.lowerBound) copied to \(to.lowerBound)")
    case .pointer: Self.redirect(&mutant, &chance)
    case .header: Self.flip(1 + chance.below(4), in: &mutant, 16..<100, &chance)
    case .statements:
      Self.run((0..<(1 + chance.below(4))).map { _ in Self.figure(&chance) }, on: &mutant, scratch)
    case .schema: Self.run([chance.pick(Self.schemaChanges)], on: &mutant, scratch)
    case .histogram: Self.run([Self.histogram(&chance)], on: &mutant, scratch)
    case .text: Self.run([Self.text(&chance)], on: &mutant, scratch)
    case .companion:
      let suffix = chance.pick(["-wal", "-shm", "-journal"])
      mutant.companions[suffix] = Self.companion(&chance)
      mutant.history.append("foreign \(suffix)")
    case .log:
      var log = samples.withLog.log
      for _ in 0..<chance.below(20) where !log.isEmpty {
        log[chance.below(log.count)] = .random(in: 0...255, using: &chance)
      }
      if chance.below(4) == 0 { log = log.prefix(chance.below(log.count)) }
      mutant.store = samples.withLog.store
      mutant.companions["-wal"] = log
      if chance.below(3) == 0 { mutant.companions["-shm"] = Self.companion(&chance) }
      mutant.history.append("log of \(log.count) bytes")
    }
  }

  private static let pageSize = 4_096

  private static func page(of mutant: Mutant, _ chance: inout RandomNumbers) -> Range<Int> {
    let start = chance.below(max(mutant.store.count / pageSize, 1)) * pageSize
    return min(start, mutant.store.count)..<min(start + pageSize, mutant.store.count)
  }

  private static func flip(_ count: Int, in mutant: inout Mutant, _ range: Range<Int>, _ chance: inout RandomNumbers) {
    let range = range.clamped(to: 0..<mutant.store.count)
    guard !range.isEmpty else { return }
    for _ in 0..<count {
      mutant.store[range.lowerBound + chance.below(range.count)] = .random(in: 0...255, using: &chance)
    }
    mutant.history.append("\(count) bytes in \(range)")
  }

  /// Makes a page of a tree point to another page, or changes where one of its cells lies.
  private static func redirect(_ mutant: inout Mutant, _ chance: inout RandomNumbers) {
    let pages = mutant.store.count / pageSize
    let trees = (1..<max(pages, 1)).filter { [2, 5].contains(mutant.store[$0 * pageSize]) }
    guard let page = trees.randomElement(using: &chance) else { return }
    let start = page * pageSize
    let cells = Int(mutant.store[start + 3]) << 8 | Int(mutant.store[start + 4])
    var place = start + 8
    if cells > 0, chance.below(2) == 0 {
      let entry = start + 12 + 2 * chance.below(cells)
      guard entry + 1 < start + pageSize else { return }
      place = start + (Int(mutant.store[entry]) << 8 | Int(mutant.store[entry + 1]))
    }
    guard place + 4 <= start + pageSize else { return }
    let target = UInt32(1 + chance.below(pages))
    withUnsafeBytes(of: target.bigEndian) { mutant.store.replaceSubrange(place..<place + 4, with: Array($0)) }
    mutant.history.append("page \(page + 1) points to \(target)")
  }

  private static let extremes = [
    "-9223372036854775808", "9223372036854775807", "9223372036854775806", "4611686018427387904", "-1", "0", "1",
    "4294967295", "4294967296", "9007199254740993", "1e308", "-0.0", "NULL", "''", "'x'", "x''", "x'00ff'",
    "CAST(x'ff00fe' AS TEXT)", "CAST(x'610062' AS TEXT)", "printf('%70000d', 1)", "printf('%200000s', 'a')",
    "zeroblob(300000)", "random()", "abs(random() % 1000000000000)",
  ]

  /// A statement that puts figures into one column or all.
  private static func figure(_ chance: inout RandomNumbers) -> String {
    let table = chance.pick(Array(columns.keys).sorted())
    let names = columns[table] ?? []
    let chosen = chance.below(5) == 0 ? names : [chance.pick(names)]
    let list = chosen.map { "\($0) = \(chance.pick(extremes))" }.joined(separator: ", ")
    let place = chance.below(2) == 0 ? "" : " WHERE \(chance.pick(names)) >= (SELECT avg(\(names[0])) FROM \(table))"
    switch chance.below(8) {
    case 0: return "DELETE FROM \(table)" + place
    case 1:
      return "INSERT OR IGNORE INTO \(table) (\(names.joined(separator: ", "))) SELECT "
        + names.map { chance.below(3) == 0 ? chance.pick(extremes) : $0 }.joined(separator: ", ") + " FROM \(table)"
    default: return "UPDATE OR IGNORE \(table) SET \(list)\(place)"
    }
  }

  private static let columns: [String: [String]] = [
    "sessions": [
      "id", "pid", "process_start", "command", "started_at", "started_ns", "threshold_ns", "window_ns", "origin",
      "ended",
      "exit_status", "last_seen_ns", "trouble", "host", "boot_id", "platform", "service", "release", "environment",
      "instance", "program_build_id",
    ],
    "tags": ["session", "name", "value"],
    "loops": [
      "id", "session", "number", "name", "thread_id", "is_main", "started_ns", "ended_ns", "outside_ns", "activities",
      "lane_kind",
    ],
    "modes": ["id", "loop", "number", "name", "attached_ns"],
    "time_windows": [
      "session", "started_ns", "mode", "number", "length_ns", "entries", "iterations", "starved_ns", "busy_ns",
      "waiting_ns", "outside_ns", "longest_ns", "cell_ns",
    ],
    "metric_windows": [
      "session", "started_ns", "mode", "metric", "number", "length_ns", "count", "total_ns", "max_ns",
    ],
    "named_images": ["id", "build_id", "wealth"],
    "texts": ["id", "text"],
    "names": ["image", "offset", "depth", "function", "module", "file", "line", "traits"],
    "stack_functions": ["stack", "function", "file", "line", "leaf"],
    "removals": ["id", "session", "what", "reason", "count", "until_ns", "removed_at"],
    "stalls": [
      "id", "session", "number", "loop", "mode", "kind", "state", "severity", "phase", "depth", "started_ns",
      "detected_ns",
      "duration_ns", "reason", "annotations", "running_ns", "blocked_ns", "starved_ns", "waiter",
    ],
    "intervals": ["id", "session", "loop", "kind", "started_ns", "ended_ns", "duration_ns", "reason"],
    "losses": ["id", "session", "loop", "what", "count"],
    "health": [
      "session", "at_ns", "observer_total_ns", "monitor_cpu_ns", "wakeups", "lateness_count", "lateness_total_ns",
      "lateness_max_ns", "signal_obstacle", "drift_wakeups",
    ],
    "images": ["session", "number", "path", "build_id", "base_address", "start_address", "end_address"],
    "stacks": ["id", "session", "hash", "frames"],
    "samples": [
      "stall", "number", "at_ns", "weight_ns", "activity", "stack", "blocked_on", "target", "owner_thread_id",
      "owner_name", "owner_stack",
    ],
    "profile_stacks": ["loop", "stack", "count", "weight_ns"],
    "timers": [
      "id", "session", "number", "loop", "name", "kind", "origin_address", "interval_ns", "tolerance_ns", "modes",
      "made_ns", "ended_ns", "fired", "dropped", "dropped_outside", "coalesced", "rearmed", "interval_changes",
      "callout_total_ns", "callout_max_ns", "lateness_count", "lateness_total_ns", "lateness_max_ns", "worst_at_ns",
    ],
    "timer_drops": ["timer", "mode", "count"],
    "stall_timers": ["stall", "timer", "late", "dropped", "worst_lateness_ns"],
    "ticks": [
      "session", "number", "loop", "due_ns", "run_loop_lateness_ns", "gcd_lateness_ns", "in_other_modes_ns",
      "machine_ns",
    ],
    "tick_windows": [
      "session", "started_ns", "loop", "number", "length_ns", "ticks", "first_number", "first_due_ns", "last_number",
      "last_due_ns", "run_loop_count", "run_loop_total_ns", "run_loop_max_ns", "gcd_count", "gcd_total_ns",
      "gcd_max_ns",
      "drift_count", "drift_total_ns", "drift_max_ns", "in_other_modes_ns", "late", "late_ns", "machine_ns",
      "gcd_late_ns", "left_out", "left_out_ns", "steps", "steps_squared", "steps_lateness", "cell_ns",
    ],
    "timer_windows": [
      "session", "started_ns", "timer", "number", "length_ns", "fired", "dropped", "lateness_count",
      "lateness_total_ns", "lateness_max_ns",
    ],
  ]

  private static let schemaChanges = [
    "DROP VIEW stall_list", "DROP TABLE timers", "DROP INDEX stalls_by_sort", "PRAGMA user_version = 1",
    "PRAGMA user_version = 2", "PRAGMA user_version = -1", "PRAGMA user_version = 2147483647",
    "PRAGMA application_id = 7", "CREATE TABLE more (x)",
    "ALTER TABLE loops ADD COLUMN bomb AS (hex(zeroblob(9000000)))",
    "CREATE TRIGGER t AFTER INSERT ON loops BEGIN DELETE FROM stalls; END", "PRAGMA auto_vacuum = FULL; VACUUM",
    "PRAGMA page_size = 512; VACUUM", "PRAGMA page_size = 65536; VACUUM", "PRAGMA encoding = 'UTF-16le'; VACUUM",
    "ANALYZE", "ALTER TABLE losses RENAME TO gains", "REINDEX",
    "UPDATE sqlite_schema SET rootpage = 2 + abs(random() % 30) WHERE name = 'stalls'",
    "UPDATE sqlite_schema SET rootpage = 2 + abs(random() % 30) WHERE type = 'index'",
    "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '')", "UPDATE sqlite_schema SET sql = sql || ' junk'",
    "UPDATE sqlite_schema SET tbl_name = 'x' WHERE type = 'view'", "DELETE FROM sqlite_schema WHERE type = 'index'",
    "INSERT INTO sqlite_schema SELECT * FROM sqlite_schema",
  ]

  private static func histogram(_ chance: inout RandomNumbers) -> String {
    let (table, column) = chance.pick([
      ("metric_windows", "histogram"), ("time_windows", "cells"), ("timers", "lateness_histogram"),
      ("health", "lateness_histogram"), ("tick_windows", "run_loop_histogram"), ("tick_windows", "cells"),
      ("tick_windows", "drift_below_histogram"), ("timer_windows", "histogram"),
      ("stacks", "frames"),
    ])
    let cut = 1 + chance.below(60)
    let value = chance.pick([
      "substr(\(column), 1, \(cut))", "randomblob(\(cut))", "\(column) || randomblob(\(cut))", "zeroblob(\(cut * 900))",
      "CAST(substr(\(column), 1, \(cut)) || randomblob(1) || substr(\(column), \(cut + 2)) AS BLOB)",
      "CAST(substr(\(column), 1, 40) || x'feffffffffffffffff' || substr(\(column), 50) AS BLOB)",
    ])
    return "UPDATE \(table) SET \(column) = \(value)"
  }

  private static func text(_ chance: inout RandomNumbers) -> String {
    let (table, column) = chance.pick([
      ("sessions", "command"), ("stalls", "annotations"), ("timers", "modes"), ("loops", "name"), ("modes", "name"),
      ("images", "path"), ("images", "build_id"), ("samples", "target"), ("samples", "owner_name"), ("timers", "name"),
      ("intervals", "reason"), ("losses", "what"), ("sessions", "trouble"), ("sessions", "host"),
      ("sessions", "release"), ("sessions", "program_build_id"), ("tags", "name"), ("tags", "value"),
      ("texts", "text"), ("named_images", "build_id"), ("named_images", "wealth"),
    ])
    let value = chance.pick([
      "'[1]'", "'{}'", "'[]'", "'[\"' || char(0) || '\"]'", "'[\"\\u0000\"]'", "'[\"\\ud800\"]'",
      "'{\"a\":\"b\",\"a\":\"c\"}'",
      "'{\"a\":[[]]}'", "printf('%.*c', 900, '[') || printf('%.*c', 900, ']')", "printf('%.*c', 90000, '[')",
      "'[' || substr(replace(hex(zeroblob(30000)), '00', ',\"a\"'), 2) || ']'", "CAST(x'5b22ff225d' AS TEXT)",
      "char(27) || '[31m' || char(7) || char(0x202e) || 'x'", "'</script><script>alert(1)</script>'", "'/dev/zero'",
      "'/dev/stdin'", "'../../../etc/passwd'", "printf('%.*c', 4000, 'a' || char(0x301))",
      "char(10) || 'stallwatch: ok'",
      "printf('%.*c', 5000, 'n')",
    ])
    return "UPDATE \(table) SET \(column) = \(value)"
  }

  private static func companion(_ chance: inout RandomNumbers) -> Data {
    var bytes = (0..<chance.below(40_000)).map { _ in UInt8.random(in: 0...255, using: &chance) }
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    let log: [UInt8] = [0x37, 0x7f, 0x06, 0x82, 0x00, 0x2d, 0xe2, 0x18, 0, 0, 0x10, 0]
    let opening = chance.pick([magic, log, []]).prefix(bytes.count)
    bytes.replaceSubrange(0..<opening.count, with: opening)
    if chance.below(3) == 0 {
      let name = Array("bystander".utf8)
      bytes += [0, 0, 0, 1] + name + [0, 0, 0, UInt8(name.count), 0, 0, 3, 0xc5] + magic
    }
    return Data(bytes)
  }

  /// Runs statements on the store without types, constraints or defences, and leaves the schema's text as it was unless it
  /// is what they change.
  private static func run(_ statements: [String], on mutant: inout Mutant, _ scratch: String) {
    let path = scratch + "/tampered"
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) } }
    guard (try? mutant.store.write(to: URL(fileURLWithPath: path))) != nil else { return }
    var database: OpaquePointer?
    guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return }
    sqlite3_progress_handler(database, 1_000_000, { _ in 1 }, nil)
    let isOfSchema = statements.contains { schemaChanges.contains($0) }
    if !isOfSchema {
      execute(
        """
        PRAGMA writable_schema = ON; CREATE TEMP TABLE kept AS SELECT name, type, sql FROM sqlite_schema;
        UPDATE sqlite_schema SET sql = replace(replace(sql, ') STRICT', ')'), ' NOT NULL', '') WHERE sql LIKE '%) STRICT';
        UPDATE sqlite_schema SET sql = replace(replace(sql, ') STRICT, WITHOUT', ') WITHOUT'), ' NOT NULL', '')
          WHERE sql LIKE '%) STRICT, WITHOUT ROWID';
        PRAGMA writable_schema = RESET;
        """, database)
    } else {
      execute("PRAGMA writable_schema = ON", database)
    }
    for statement in statements { execute(statement, database) }
    if !isOfSchema {
      execute(
        """
        PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql =
          (SELECT sql FROM kept WHERE kept.name = sqlite_schema.name AND kept.type = sqlite_schema.type);
        """, database)
    }
    sqlite3_close_v2(database)
    if let store = try? Data(contentsOf: URL(fileURLWithPath: path)) { mutant.store = store }
    mutant.history += statements
  }

  private static func execute(_ sql: String, _ database: OpaquePointer?) { sqlite3_exec(database, sql, nil, nil, nil) }
}
