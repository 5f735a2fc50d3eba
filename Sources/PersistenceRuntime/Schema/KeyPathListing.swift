import PersistenceSupport

/// Metadata of a rule, such as `#Index`, which lists properties by their key paths.
package protocol KeyPathListing {
  /// The name of the macro that creates the metadata. Error messages contain it.
  var macroName: String { get }
  var keyPathLists: [KeyPathList] { get }
}

/// The key paths of one index or uniqueness constraint.
package struct KeyPathList: Hashable {
  package enum Kind: String, Codable, Hashable {
    case unique
    case binary
    case rtree
  }

  package let kind: Kind
  package let keypaths: [AnyKeyPath]
}

/// Converts the names of a model's properties to key paths, and key paths to names.
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
  /// The names and key paths of the properties, and of the members of composite properties.
  private static var known: [(name: String, keyPath: AnyKeyPath)] {
    let metadata = Model.schemaMetadata
    return metadata.map { ($0.name, $0.keypath) }
      + metadata.flatMap { $0.compositeLayout?.memberKeyPaths(from: $0.keypath) ?? [] }
  }
}

// The names under which generated metadata lists rules. No property can have such a name.
let indexMetadataName = "SwiftData.Schema.Index"
let uniqueMetadataName = "SwiftData.Schema.Unique"
