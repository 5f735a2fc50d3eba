import Foundation

/// What went wrong while the columns of a row were read or written, kept until the row is done.
///
/// The generated loops are straight code: a column that cannot be decoded leaves a placeholder in its slot and its
/// reason here, and the loop throws after the row.
public final class RowFailure {
  @usableFromInline
  @exclusivity(unchecked) package var first: SwiftDataError?

  package let entity: EntityLayout

  package init(entity: EntityLayout) {
    self.entity = entity
  }

  /// Keeps the first failure of a row.
  package func record(
    _ kind: SwiftDataError.Kind, property index: Int, key: Int64?, _ reason: String, underlying: (any Error)? = nil
  ) {
    guard first == nil else { return }
    let property = index < entity.properties.count ? entity.properties[index].name : "column \(index)"
    let row = key.map { " of row \($0)" } ?? ""
    first = SwiftDataError(kind, "\(entity.name).\(property)\(row): \(reason)", underlying: underlying)
  }
}
