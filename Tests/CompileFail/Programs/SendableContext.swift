// A context is not Sendable.
// expect: conformance of 'ModelContext' to 'Sendable' is unavailable
import SwiftData

func share(_ context: ModelContext) {
  let value: any Sendable = context
  print(value)
}
