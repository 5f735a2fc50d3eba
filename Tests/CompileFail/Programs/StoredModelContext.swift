// A stored property cannot have the name of a property that every model has.
// expect: a stored property cannot be named 'modelContext'
import SwiftData

@Model final class Place {
  var modelContext: String

  init(modelContext: String) { self.modelContext = modelContext }
}
