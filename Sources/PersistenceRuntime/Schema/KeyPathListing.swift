import PersistenceSupport

/// Metadata that lists properties by their key paths and is no property itself.
package protocol KeyPathListing {
  /// The macro that makes such metadata, for messages.
  var macroName: String { get }
  var keyPathLists: [KeyPathList] { get }
}

/// A list of key paths that stands for one index or one uniqueness rule.
package struct KeyPathList: Hashable {
  package enum Kind: String, Codable, Hashable {
    case unique
    case binary
    case rtree
  }

  package let kind: Kind
  package let keypaths: [AnyKeyPath]
}

/// The names of a model's properties and the key paths that lead to them.
enum KeyPathNames<Model: PersistentModel> {
  static func names(of keypaths: [AnyKeyPath]) throws -> [String] {
    let known = self.known
    return try keypaths.map { keypath in
      guard let property = known.first(where: { $0.keyPath == keypath }) else {
        throw SwiftDataError(.unsupportedKeyPath, "A key path in a rule of \(Model.self) names no stored property.")
      }
      return property.name
    }
  }

  static func keypaths(for names: [String]) throws -> [PartialKeyPath<Model>] {
    let known = self.known
    return try names.map { name in
      let property = known.first { $0.name == name }
      guard let keypath = property?.keyPath as? PartialKeyPath<Model> else {
        throw SwiftDataError(.unsupportedKeyPath, "\(Model.self) has no stored property \(name).")
      }
      return keypath
    }
  }
}

extension KeyPathNames {
  /// The properties, and the members of those that are composites.
  private static var known: [(name: String, keyPath: AnyKeyPath)] {
    let metadata = Model.schemaMetadata
    return metadata.map { ($0.name, $0.keypath) }
      + metadata.flatMap { $0.compositeLayout?.memberKeyPaths(from: $0.keypath) ?? [] }
  }
}

/// The names that generated metadata gives to rules, which are no names of properties.
let indexMetadataName = "SwiftData.Schema.Index"
let uniqueMetadataName = "SwiftData.Schema.Unique"
