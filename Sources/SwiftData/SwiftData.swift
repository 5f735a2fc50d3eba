// This module knows what code for Apple's systems expects of `import SwiftData`, and which store a `ModelConfiguration`
// means: the one of SQLite.

// Foundation is re-exported, because code for Apple's systems uses `Date` and `UUID` without importing it. Every other
// top-level name is Apple's or begins with `_`.
@_exported import Foundation
@_exported import Observation
@_exported import PersistenceCore
// Re-exported for its only public name, `SwiftDataError.SQLiteError`: with MemberImportVisibility, the module of a
// member must be visible.
@_exported import SQLiteStore
