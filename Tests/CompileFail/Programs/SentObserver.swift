// A detached task cannot use an observer of results that the main actor uses, because the observer contains models.
// expect: passing closure as a 'sending' parameter risks causing data races
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

@MainActor final class List {
  let observer: ResultsObserver<Trip, Never>

  init(_ context: ModelContext) throws { observer = try ResultsObserver(modelContext: context) }

  func count() -> Task<Int, Never> {
    let observer = observer
    return Task.detached { observer.results.count }
  }
}
