// This module knows what code for Apple's systems expects of `import SwiftData`.

// `import SwiftData` where Apple's framework does not exist. Foundation comes along because code written for Apple's
// systems uses `Date` and `UUID` with no import of its own.
@_exported import Foundation
@_exported import Observation
@_exported import OpenSwiftData
