import Foundation
import PersistenceRuntime

extension SQLParameter {
  /// The value that a request binds to the parameter, as an SQL literal; for `.prefixEnd`, a description of the value.
  package func description(in request: FetchRequest) -> String {
    var values: [QueryValue] = []
    if case .matching(let tree) = request.selection { values = tree.values.filter { !$0.isNull } }
    switch self {
    case .limit: return "\(request.limit ?? -1)"
    case .offset: return "\(request.offset)"
    case .value(let position, _), .list(let position, _), .elements(let position, _):
      return values[position].description
    case .prefixEnd(let position): return "the end of the texts that start with \(values[position].description)"
    }
  }
}

extension QueryValue {
  /// The maximum number of elements of a list that are shown.
  private static let longestList = 10

  fileprivate var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let number), .identifier(_, let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text, _): text.quoted(by: "'")
    case .blob(let data, _): "x'" + data.map { String(format: "%02x", $0) }.joined() + "'"
    case .list(let values):
      "(" + values.prefix(Self.longestList).map(\.description).joined(separator: ", ")
        + (values.count > Self.longestList ? ", … \(values.count) in all)" : ")")
    }
  }
}
