#include <sqlite3.h>

// sqlite3_db_config takes variable arguments, which Swift cannot pass: this is the one call of it that is needed.
// Runs nothing that a file brings along (triggers, views, functions named by its schema) and lets no statement reach
// behind the tables.
static inline int stallwatch_sqlite_distrust(sqlite3 *database) {
  int status = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  return status;
}
