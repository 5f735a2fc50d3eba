// This module knows the header of the system's SQLite.
#include <sqlite3.h>
