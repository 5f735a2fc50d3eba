// This module knows what code for Apple's systems expects of `import SwiftData`, and which store a `ModelConfiguration`
// means: the one of SQLite.

// Foundation is re-exported, because code for Apple's systems uses `Date` and `UUID` without importing it. Apart from
// Foundation's names, this module has only top-level names that Apple's module has, or that begin with `_`.
@_exported import Foundation
@_exported import Observation
@_exported import PersistenceCore
// Re-exported for its only public name, `SwiftDataError.SQLiteError`. In a program that enables MemberImportVisibility,
// the module that declares a member must be imported.
@_exported import SQLiteStore
