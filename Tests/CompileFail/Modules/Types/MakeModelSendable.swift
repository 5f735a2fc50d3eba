// Saying so does not make it so.
// expect: redundant conformance of 'Trip' to protocol 'Sendable'
import SwiftData

extension Trip: @unchecked Sendable {}
