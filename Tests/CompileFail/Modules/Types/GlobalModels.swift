// A global list of models is shared too.
// expect: is not concurrency-safe
import SwiftData

private let everybodysTrips: [Trip] = []
