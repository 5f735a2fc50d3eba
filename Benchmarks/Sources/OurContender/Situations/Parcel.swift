import BenchmarkCore
import SwiftData

/// A model with a struct, which the library stores in a column for each of its ten members.
@Model final class Parcel {
  var name: String
  var details: ParcelDetails

  init(_ values: ParcelValues) {
    (name, details) = (values.name, values.details)
  }
}
