// Code cannot resume a continuation with a fetched model, because the waiting task may use the model at the same time.
// expect: sending 'trip' risks causing data races
import SwiftData

private func resume(_ continuation: CheckedContinuation<Trip, Never>, with context: ModelContext) throws {
  let trip = try context.fetch(FetchDescriptor<Trip>())[0]
  continuation.resume(returning: trip)
}
