// This module knows what code for Apple's systems expects of `import SwiftData`, and which store a `ModelConfiguration`
// means: the one of SQLite.

// `import SwiftData` where Apple's framework does not exist. Foundation comes along because code written for Apple's
// systems uses `Date` and `UUID` with no import of its own. Every other top-level name is Apple's, or begins with `_`.
@_exported import Foundation
@_exported import Observation
@_exported import PersistenceCore
// Its only public name is `SwiftDataError.SQLiteError`, whose members are those of a module that is imported.
@_exported import SQLiteStore
