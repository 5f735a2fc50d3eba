/// The errors of the aggregates.
enum ShopError: Error, CustomStringConvertible {
  case twice(String)
  case full(String, Int)
  case missing(String)
  case nothing

  var description: String {
    switch self {
    case .twice(let title): "there is an item '\(title)' already"
    case .full(let category, let room): "'\(category)' has room for \(room) items"
    case .missing(let title): "there is no item '\(title)'"
    case .nothing: "a line is of one item at least"
    }
  }
}
