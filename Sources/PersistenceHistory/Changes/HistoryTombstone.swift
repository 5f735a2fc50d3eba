import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The last values of a deleted model's attributes with the option `.preserveValueOnDeletion`. Apple's.
///
/// The sequence contains the values that were not nil, in the order in which the model declares the attributes.
///
/// ```swift
/// if case .delete(let deletion as any HistoryDelete<Trip>) = change {
///   print(deletion.tombstone[\.name] as? String ?? "")
/// }
/// ```
public struct HistoryTombstone<Model: PersistentModel>: Sequence, @unchecked Sendable {
  // Unchecked, as in Apple's module. Key paths of properties are immutable. The values were decoded only for this
  // tombstone, so nothing else refers to them.
  private let values: [(keyPath: AnyKeyPath, value: Any)]

  package init(_ values: [(keyPath: AnyKeyPath, value: Any)]) { self.values = values }

  /// An iterator over the preserved values of a deleted model. Apple's.
  public struct Iterator: IteratorProtocol {
    private var values: ArraySlice<(keyPath: AnyKeyPath, value: Any)>

    fileprivate init(_ values: [(keyPath: AnyKeyPath, value: Any)]) { self.values = values[...] }

    /// Returns the next value; nil after the last.
    ///
    /// - Returns: The value.
    public mutating func next() -> Any? { values.popFirst()?.value }
  }

  /// The last value of a property; nil if the value was nil, or if the history does not preserve the property. Apple's.
  ///
  /// - Parameter keyPath: The property.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    values.first { $0.keyPath == keyPath }.map { SendableValue.sendable($0.value) }
  }

  /// Returns an iterator over the values. Apple's.
  ///
  /// - Returns: The iterator.
  public func makeIterator() -> Iterator { Iterator(values) }
}

/// Casts of `Any` to `any Sendable`, and of key paths to Sendable key paths.
///
/// Unsafe: the functions reinterpret the bits of one type as another. That is sound, because `Sendable` has no run-time
/// representation: `Any` and `any Sendable` have the same layout, and so have key paths with and without `Sendable`.
package enum SendableValue {
  static func sendable(_ value: Any) -> any Sendable { unsafeBitCast(value as Any, to: (any Sendable).self) }

  package static func sendable<Model>(_ keyPath: PartialKeyPath<Model>) -> any PartialKeyPath<Model> & Sendable {
    unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
  }
}
