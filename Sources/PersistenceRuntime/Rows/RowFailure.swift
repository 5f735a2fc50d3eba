import Foundation
import PersistenceSupport

/// A property whose value in a row could not be read or written.
package struct PropertyFailure: Sendable {
  package let position: Int
  package let error: SwiftDataError
}

extension _PersistenceRuntime {
  /// The failures in the columns of a row, one for each property, kept until the row is complete.
  ///
  /// Generated loops are straight-line code: a column that cannot be decoded leaves its slot empty and a failure here.
  /// After the row a read settles them (``ReadSession/settle(_:mask:)``), and a write throws the first.
  public final class RowFailure {
    package private(set) var all: ContiguousArray<PropertyFailure> = []
    /// Whether there is a failure, in memory of its own so that loops test it without reference counting.
    @usableFromInline package let hasFailed: UnsafeMutablePointer<Bool>

    package let entity: EntityLayout

    package init(entity: EntityLayout) {
      self.entity = entity
      hasFailed = .allocate(capacity: 1)
      hasFailed.initialize(to: false)
    }

    deinit { hasFailed.deallocate() }

    /// Throws the first failure of a row, if there is one.
    package func throwFirst() throws {
      if let first = takeAll().first { throw first.error }
    }

    /// Returns the failures of a row, and forgets them.
    package func takeAll() -> ContiguousArray<PropertyFailure> {
      hasFailed.pointee = false
      defer { all = [] }
      return all
    }

    /// Records a failure, unless the property has one already: a refreshed property is read twice.
    package func record(
      _ kind: SwiftDataError.Kind, property index: Int, key: Int64?, _ reason: String, underlying: (any Error)? = nil
    ) {
      hasFailed.pointee = true
      guard !all.contains(where: { $0.position == index }) else { return }
      let property = index < entity.properties.count ? entity.properties[index].name : "column \(index)"
      let row = key.map { " of row \($0)" } ?? ""
      let error = SwiftDataError(kind, "\(entity.name).\(property)\(row): \(reason)", underlying: underlying)
      all.append(PropertyFailure(position: index, error: error))
    }
  }
}
