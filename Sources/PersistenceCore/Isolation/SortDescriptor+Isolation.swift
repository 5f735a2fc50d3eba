import Foundation

/// Orders by properties that belong to an actor. The key path has to be written without its type, as in
/// `SortDescriptor(\.name)`: `\Note.name` belongs to the actor.
extension SortDescriptor where Compared: PersistentModel {
  /// Orders by a property.
  public init<Value: Comparable>(
    _ keyPath: any KeyPath<Compared._$Fields, Value> & Sendable, order: SortOrder = .forward
  ) {
    self.init(Compared.keyPath(keyPath), order: order)
  }

  /// Orders by an optional property, nil first.
  public init<Value: Comparable>(
    _ keyPath: any KeyPath<Compared._$Fields, Value?> & Sendable, order: SortOrder = .forward
  ) {
    self.init(Compared.keyPath(keyPath), order: order)
  }

  /// Orders by text as the comparator says.
  public init(
    _ keyPath: any KeyPath<Compared._$Fields, String> & Sendable, comparator: String.StandardComparator,
    order: SortOrder = .forward
  ) {
    self.init(Compared.keyPath(keyPath), comparator: comparator, order: order)
  }

  /// Orders by optional text as the comparator says.
  public init(
    _ keyPath: any KeyPath<Compared._$Fields, String?> & Sendable, comparator: String.StandardComparator,
    order: SortOrder = .forward
  ) {
    self.init(Compared.keyPath(keyPath), comparator: comparator, order: order)
  }
}
