import BenchmarkCore
import Foundation
import SwiftData

/// A model with a value that the library stores in a file, because it has more than 100 KB.
@Model final class Scan {
  var name: String
  @Attribute(.externalStorage) var content: Data

  init(_ values: ScanValues) {
    (name, content) = (values.name, values.content)
  }
}
