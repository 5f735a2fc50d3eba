import Testing

/// The engines that have to behave alike.
package enum Engine: String, CaseIterable, CustomTestStringConvertible {
  case file, memory

  package var testDescription: String {
    switch self {
    case .file: "a store in a file"
    case .memory: "a store in memory"
    }
  }
}
