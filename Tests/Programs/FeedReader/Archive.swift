import CSQLite
import Foundation

/// Articles read so far, in SQLite.
@MainActor final class Archive {
  static let shared = Archive()

  private var database: OpaquePointer?

  private init() {
    let path = NSTemporaryDirectory() + "feed-reader-\(getpid()).sqlite"
    guard sqlite3_open(path, &database) == SQLITE_OK else { fatalError("cannot open \(path)") }
    atexit { unlink(NSTemporaryDirectory() + "feed-reader-\(getpid()).sqlite") }
    run("PRAGMA synchronous = OFF")
    run("CREATE TABLE articles (title TEXT, body TEXT, read INTEGER)")
    run(
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
      INSERT INTO articles SELECT 'Title ' || n, hex(randomblob(200)), 0 FROM numbers
      """)
    run("PRAGMA synchronous = FULL")
  }

  private func run(_ statement: String) {
    guard sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK else {
      fatalError(String(cString: sqlite3_errmsg(database)))
    }
  }

  @inline(never) func search(_ word: String) {
    var statement: OpaquePointer?
    let text = "SELECT count(*) FROM articles a WHERE body LIKE '%\(word)%' OR upper(body) LIKE '%Q' || title || '%'"
    sqlite3_prepare_v2(database, text, -1, &statement, nil)
    let end = Date() + 0.25
    repeat {
      sqlite3_step(statement)  // BUG sqlite-scan
      sqlite3_reset(statement)
    } while Date() < end
    sqlite3_finalize(statement)
  }

  @inline(never) func markAllRead() {
    let end = Date() + 0.25
    var number = 0
    while Date() < end {
      number += 1
      sqlite3_exec(database, "UPDATE articles SET read = \(number)", nil, nil, nil)  // BUG sqlite-write
    }
  }
}
