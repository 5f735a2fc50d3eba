// A global constant cannot be a list of models, because all threads could use the models.
// expect: is not concurrency-safe
import SwiftData

private let everybodysTrips: [Trip] = []
