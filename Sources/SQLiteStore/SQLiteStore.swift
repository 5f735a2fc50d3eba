// This module knows SQLite: its connections, its files and its SQL.
