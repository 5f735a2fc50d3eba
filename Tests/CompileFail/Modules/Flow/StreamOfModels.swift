// A context's models cannot be sent through an `AsyncStream`, because another task may read the stream.
// expect: risks causing data races
import SwiftData

private func stream(_ context: ModelContext) -> AsyncStream<Trip> {
  AsyncStream { continuation in
    for trip in (try? context.fetch(FetchDescriptor<Trip>())) ?? [] { continuation.yield(trip) }
  }
}
