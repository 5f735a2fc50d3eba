import PersistenceCore
import SwiftData

/// The content of a store: every property of every object, as text.
struct Contents: Equatable {
  /// The properties of each object by its name, with their values by the names of the properties.
  private(set) var objects: [String: [String: String]] = [:]

  /// - Parameter context: A new context, so that everything is read from the store.
  init(_ context: ModelContext) throws {
    for type in Museum.models { try add(type, context) }
  }

  private mutating func add<Model: PersistentModel>(_ type: Model.Type, _ context: ModelContext) throws {
    for object in try context.fetch(FetchDescriptor<Model>()) {
      guard let named = object as? any Named else { continue }
      let name = Rendering.name(of: named)
      let properties = Self.properties(of: object)
      // Objects of subclasses are also fetched as their own class, and have to be the same.
      if let known = objects[name], known != properties {
        objects["another \(name)"] = properties
      } else {
        objects[name] = properties
      }
    }
  }

  /// All properties in the metadata, including inherited ones, so that none is missing.
  private static func properties(of object: any PersistentModel) -> [String: String] {
    var properties: [String: String] = [:]
    for property in type(of: object).schemaMetadata where !property.isRule {
      properties[property.name] = (object as Any)[keyPath: property.keypath].map(Rendering.text) ?? "unreadable"
    }
    return properties
  }

  var objectCount: Int { objects.count }
  var propertyCount: Int { objects.values.reduce(0) { $0 + $1.count } }

  subscript(object: String, property: String) -> String? { objects[object]?[property] }

  /// The differences as text; empty if there are none.
  func differences(from expected: Contents) -> [String] {
    Set(objects.keys).union(expected.objects.keys).sorted().flatMap { name -> [String] in
      guard let found = objects[name] else { return ["\(name) is missing"] }
      guard let wanted = expected.objects[name] else { return ["\(name) is too many"] }
      return Set(found.keys).union(wanted.keys).sorted().filter { found[$0] != wanted[$0] }.map { property in
        "\(name).\(property) is \(found[property] ?? "absent"), not \(wanted[property] ?? "absent")"
      }
    }
  }
}

extension Schema.PropertyMetadata {
  /// Whether the metadata is an index or a constraint over several properties.
  fileprivate var isRule: Bool { metadata != nil && !(metadata is Schema.Attribute || metadata is Schema.Relationship) }
}
