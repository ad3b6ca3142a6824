// The system's SQLite. Header only.
#ifndef BAIZE_CSQLITE_SHIM_H
#define BAIZE_CSQLITE_SHIM_H

#include <sqlite3.h>

/// sqlite3_db_config(3) for the switches, since Swift cannot call what takes a variable number of arguments.
static inline int baize_sqlite3_switch(sqlite3 *connection, int option, int isOn) {
  return sqlite3_db_config(connection, option, isOn, (int *)0);
}

#endif
