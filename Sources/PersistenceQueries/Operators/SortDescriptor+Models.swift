import Foundation
import PersistenceRuntime
import PersistenceSupport

// Sort descriptors of models. Apple's Foundation compares texts by locale and has descriptors for Booleans of its own
// classes; these do the same for models everywhere.
//
// Those for Booleans are disfavoured: the type checker then tries them only where none of Foundation's fits, and an order by
// anything else costs it what it costs with Foundation alone.

extension SortDescriptor where Compared: PersistentModel {
  /// Sorts by a Boolean, false before true.
  @_disfavoredOverload
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    self.init(keyPath.appending(path: \Bool._$rank).sendable, order: order)
  }

  /// Sorts by a Boolean: nil, then false, then true.
  @_disfavoredOverload
  public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
    self.init(keyPath.appending(path: \Bool?._$rank).sendable, order: order)
  }
}

#if !canImport(Darwin)
  extension SortDescriptor where Compared: PersistentModel {
    /// Sorts by a text, compared by one of Foundation's standard comparators.
    public init(_ keyPath: any KeyPath<Compared, String> & Sendable, comparator: String.StandardComparator) {
      self.init(keyPath, comparator: comparator, order: comparator.order)
    }

    /// Sorts by an optional text, compared by one of Foundation's standard comparators; nil comes first.
    public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: String.StandardComparator) {
      self.init(keyPath, comparator: comparator, order: comparator.order)
    }

    /// Sorts by a text, compared by one of Foundation's standard comparators.
    public init(
      _ keyPath: any KeyPath<Compared, String> & Sendable, comparator: String.StandardComparator, order: SortOrder
    ) {
      switch comparator.textOrder {
      case .localizedStandard: self.init(keyPath.appending(path: \String._$localizedStandard).sendable, order: order)
      case .localized: self.init(keyPath.appending(path: \String._$localized).sendable, order: order)
      case nil: self.init(keyPath, order: order)
      }
    }

    /// Sorts by an optional text, compared by one of Foundation's standard comparators; nil comes first.
    public init(
      _ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: String.StandardComparator, order: SortOrder
    ) {
      switch comparator.textOrder {
      case .localizedStandard: self.init(keyPath.appending(path: \String?._$localizedStandard).sendable, order: order)
      case .localized: self.init(keyPath.appending(path: \String?._$localized).sendable, order: order)
      case nil: self.init(keyPath, order: order)
      }
    }
  }
#endif

extension KeyPath {
  /// The key path as one that may be sent, for one that is put together of key paths that may.
  ///
  /// Unsafe because the compiler cannot see it: a key path is only not Sendable when a subscript in it captures
  /// something that is not, and appending adds no captures.
  fileprivate var sendable: any KeyPath<Root, Value> & Sendable {
    unsafeBitCast(self, to: (any KeyPath<Root, Value> & Sendable).self)
  }
}
