import PersistenceCore
import SwiftData

/// The content of a store: every property of every object, as text.
struct Contents: Equatable {
  /// The values of each object's properties as texts. The keys are the name of the object and the name of the property.
  private(set) var objects: [String: [String: String]] = [:]

  /// - Parameter context: A new context, so that all values are read from the store.
  init(_ context: ModelContext) throws {
    for type in Museum.models { try add(type, context) }
  }

  private mutating func add<Model: PersistentModel>(_ type: Model.Type, _ context: ModelContext) throws {
    for object in try context.fetch(FetchDescriptor<Model>()) {
      guard let named = object as? any Named else { continue }
      let name = Rendering.name(of: named)
      let properties = Self.properties(of: object)
      // The object of a subclass is fetched twice, by its own class and by its superclass. Both times its values must
      // be the same.
      if let known = objects[name], known != properties {
        objects["another \(name)"] = properties
      } else {
        objects[name] = properties
      }
    }
  }

  /// The values of all properties in the metadata, including inherited ones.
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

  /// Describes the differences; empty if there are none.
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
  /// True if the metadata describes an index or a uniqueness constraint instead of a property.
  fileprivate var isRule: Bool { metadata != nil && !(metadata is Schema.Attribute || metadata is Schema.Relationship) }
}
