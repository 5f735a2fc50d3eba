// A context is no Sendable value.
// expect: conformance of 'ModelContext' to 'Sendable' is unavailable
import SwiftData

func share(_ context: ModelContext) {
  let value: any Sendable = context
  print(value)
}
