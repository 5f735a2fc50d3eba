"""Copies a store with what Python's sqlite3 has for it: copy_sqlite3.py backup|serialize STORE COPY."""

import sqlite3
import sys

way, store, copy = sys.argv[1:]
connection = sqlite3.connect(store)
if way == "backup":
    connection.backup(sqlite3.connect(copy))
else:
    # The bytes say that the file has a write-ahead log, which a database in memory cannot have.
    connection.execute("PRAGMA journal_mode = DELETE")
    with open(copy, "wb") as file:
        file.write(connection.serialize())
print(*[row[0] for row in sqlite3.connect(copy).execute("PRAGMA integrity_check")])
