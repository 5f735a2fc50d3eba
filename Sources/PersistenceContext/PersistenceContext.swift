// This module has one context and its objects: fetches, changes, saves, conflicts, undo. No containers, migrations or
// SQL.
