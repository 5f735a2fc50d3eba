import Foundation
import PersistenceSupport

extension _PersistenceRuntime {
  /// The first failure in the columns of a row, kept until the row is complete.
  ///
  /// Generated loops are straight-line code: a column that cannot be decoded leaves a placeholder in its slot and a
  /// failure here, and the loop throws after the row.
  public final class RowFailure {
    package private(set) var first: SwiftDataError?
    /// Whether there is a failure, in memory of its own so that loops test it without reference counting.
    @usableFromInline package let hasFailed: UnsafeMutablePointer<Bool>

    package let entity: EntityLayout

    package init(entity: EntityLayout) {
      self.entity = entity
      hasFailed = .allocate(capacity: 1)
      hasFailed.initialize(to: false)
    }

    deinit { hasFailed.deallocate() }

    /// Throws the failure of a row, if there is one.
    package func throwFirst() throws {
      hasFailed.pointee = false
      guard let first else { return }
      self.first = nil
      throw first
    }

    /// Records a failure, unless the row has one already.
    package func record(
      _ kind: SwiftDataError.Kind, property index: Int, key: Int64?, _ reason: String, underlying: (any Error)? = nil
    ) {
      hasFailed.pointee = true
      guard first == nil else { return }
      let property = index < entity.properties.count ? entity.properties[index].name : "column \(index)"
      let row = key.map { " of row \($0)" } ?? ""
      first = SwiftDataError(kind, "\(entity.name).\(property)\(row): \(reason)", underlying: underlying)
    }
  }
}
