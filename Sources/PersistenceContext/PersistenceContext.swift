// This module knows one context and its objects: fetches, changes, saves, conflicts, undo; no container, migration or SQL.
