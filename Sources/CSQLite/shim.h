#include <sqlite3.h>

// sqlite3_db_config takes variable arguments, which Swift cannot pass: these are the calls of it that are needed.

// Leaves the write-ahead log where it is when the database is closed.
static inline void stallwatch_sqlite_leave_log(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// Runs nothing that a file brings along (triggers, views, functions named by its schema) and lets no statement reach
// behind the tables.
static inline int stallwatch_sqlite_distrust(sqlite3 *database) {
  int status = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  return status;
}
