import Foundation
import PersistenceRuntime
import PersistenceSupport

// Sort descriptors of models. On Apple's systems Foundation can sort by localized strings, and can sort its own classes
// by Booleans. These initialisers provide both for models, on every platform.
//
// The initialisers for Booleans are disfavoured: the type checker tries them only if none of Foundation's initialisers
// fits. So they do not slow down the type checking of other sort descriptors.

extension SortDescriptor where Compared: PersistentModel {
  /// Sorts by a Boolean, false before true.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the property.
  ///   - order: The direction.
  @_disfavoredOverload
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    self.init(keyPath.appending(path: \Bool._$rank).sendable, order: order)
  }

  /// Sorts by an optional Boolean: nil, then false, then true.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the property.
  ///   - order: The direction.
  @_disfavoredOverload
  public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
    self.init(keyPath.appending(path: \Bool?._$rank).sendable, order: order)
  }
}

#if !canImport(Darwin)
  extension SortDescriptor where Compared: PersistentModel {
    /// Sorts by a string with a standard comparator, in the comparator's direction.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - comparator: The comparator, such as `.localizedStandard`.
    public init(_ keyPath: any KeyPath<Compared, String> & Sendable, comparator: String.StandardComparator) {
      self.init(keyPath, comparator: comparator, order: comparator.order)
    }

    /// Sorts by an optional string with a standard comparator, in the comparator's direction; nil first.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - comparator: The comparator, such as `.localizedStandard`.
    public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: String.StandardComparator) {
      self.init(keyPath, comparator: comparator, order: comparator.order)
    }

    /// Sorts by a string with a standard comparator.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - comparator: The comparator, such as `.localizedStandard`.
    ///   - order: The direction, instead of the comparator's.
    public init(
      _ keyPath: any KeyPath<Compared, String> & Sendable, comparator: String.StandardComparator, order: SortOrder
    ) {
      switch comparator.textOrder {
      case .localizedStandard: self.init(keyPath.appending(path: \String._$localizedStandard).sendable, order: order)
      case .localized: self.init(keyPath.appending(path: \String._$localized).sendable, order: order)
      case nil: self.init(keyPath, order: order)
      }
    }

    /// Sorts by an optional string with a standard comparator; nil first.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - comparator: The comparator, such as `.localizedStandard`.
    ///   - order: The direction, instead of the comparator's.
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
  /// The key path as a Sendable key path. Used for key paths that are composed of Sendable ones.
  ///
  /// Unsafe, because the compiler cannot verify it. Sound: only a subscript with a non-Sendable argument makes a key
  /// path non-Sendable, and appending a key path adds no arguments.
  fileprivate var sendable: any KeyPath<Root, Value> & Sendable {
    unsafeBitCast(self, to: (any KeyPath<Root, Value> & Sendable).self)
  }
}
