import Foundation
import PersistenceRuntime

/// Recognises key paths to properties of collections, such as `count`.
enum CollectionPath {
  static func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? {
    switch keyPath {
    case \String.count, \Data.count: .count
    case \Data.isEmpty: .isEmpty
    default: (type(of: keyPath).rootType as? any DescribedCollection.Type)?.meaning(of: keyPath)
    }
  }
}

/// A standard library collection that compares key paths to its members.
private protocol DescribedCollection {
  static func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning?
}

extension Array: DescribedCollection {
  fileprivate static func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? {
    switch keyPath {
    case \Self.count: .count
    case \Self.isEmpty: .isEmpty
    case \Self.first: .first
    default: nil
    }
  }
}

extension Dictionary: DescribedCollection {
  fileprivate static func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? {
    switch keyPath {
    case \Self.count: .count
    case \Self.isEmpty: .isEmpty
    default: nil
    }
  }
}

extension Set: DescribedCollection {
  fileprivate static func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? {
    switch keyPath {
    case \Self.count: .count
    case \Self.isEmpty: .isEmpty
    default: nil
    }
  }
}
