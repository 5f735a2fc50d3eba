import PersistenceRuntime

/// A value in a snapshot.
package enum SnapshotValue {
  /// A value of an attribute, of the property's type without `Optional`. Bytes for an attribute with a transformer.
  case value(any Codable)
  /// No value of an attribute.
  case null
  case toOne(PersistentIdentifier?)
  case toMany([PersistentIdentifier])

  func remapped(_ identifiers: [PersistentIdentifier: PersistentIdentifier]) -> SnapshotValue {
    switch self {
    case .value, .null: self
    case .toOne(let identifier): .toOne(identifier.map { identifiers[$0] ?? $0 })
    case .toMany(let list): .toMany(list.map { identifiers[$0] ?? $0 })
    }
  }
}

/// The values of a snapshot by the names of the properties, in the order of their declarations.
package struct SnapshotValues: @unchecked Sendable {
  // Unchecked: the values are copies that were encoded or read only for the snapshot, and they never change.
  package private(set) var names: [String] = []
  private var values: [String: SnapshotValue] = [:]

  package init() {}

  package subscript(name: String) -> SnapshotValue? {
    get { values[name] }
    set {
      if let newValue {
        if values.updateValue(newValue, forKey: name) == nil { names.append(name) }
      } else if values.removeValue(forKey: name) != nil {
        names.removeAll { $0 == name }
      }
    }
  }

  func remapped(_ identifiers: [PersistentIdentifier: PersistentIdentifier]) -> SnapshotValues {
    guard !identifiers.isEmpty else { return self }
    var result = self
    result.values = values.mapValues { $0.remapped(identifiers) }
    return result
  }
}

/// Backing data whose values a snapshot can read without their types.
package protocol SnapshotSource: BackingData {
  var snapshotValues: SnapshotValues { get }
}
