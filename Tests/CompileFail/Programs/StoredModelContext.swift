// Names that every model has are taken.
// expect: a stored property cannot be named 'modelContext'
import SwiftData

@Model final class Place {
  var modelContext: String

  init(modelContext: String) { self.modelContext = modelContext }
}
