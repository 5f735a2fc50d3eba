import PersistenceRuntime

/// A value in a snapshot.
package enum SnapshotValue {
  /// The value of an attribute, of the property's type without `Optional`; bytes if the attribute has a transformer.
  case value(any Codable)
  /// An attribute without a value.
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

/// The values of a snapshot by property name, in the order in which the properties are declared.
package struct SnapshotValues: @unchecked Sendable {
  // Unchecked: the values were encoded or read for this snapshot alone, and never change.
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

/// Backing data from which a snapshot can copy all values at once, without knowing their types.
package protocol SnapshotSource: BackingData {
  var snapshotValues: SnapshotValues { get }
}
