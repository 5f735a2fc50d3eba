import Foundation
import PersistenceCore

/// The entities of the stores that these tests create.
struct SampleEntities {
  let item: EntityLayout
  let parent: EntityLayout

  var all: [EntityLayout] { [item, parent] }

  /// The positions of an item's properties in its layout.
  enum Item {
    static let name = 0
    static let note = 1
    static let count = 2
    static let score = 3
    static let rating = 4
    static let price = 5
    static let data = 6
    static let parent = 7
    static let owner = 8
    static let code = 9
  }

  init() {
    item = EntityLayout(
      name: "Item", modelType: SampleModel.self,
      properties: [
        Self.attribute("name", 0, .text), Self.attribute("note", 1, .text, isOptional: true),
        Self.attribute("count", 2, .integer), Self.attribute("score", 3, .real),
        Self.attribute("rating", 4, .real, isOptional: true), Self.attribute("price", 5, .decimal, isOptional: true),
        Self.attribute("data", 6, .blob, isOptional: true),
        Self.toOne("parent", 7, "Parent", isOptional: true), Self.toOne("owner", 8, "Parent", isOptional: true),
        Self.attribute("code", 9, .text, isOptional: true, isUnique: true),
      ], uniquenessConstraints: [], indices: [[0], [2], [3], [4], [5], [1]])
    parent = EntityLayout(
      name: "Parent", modelType: SampleModel.self,
      properties: [
        Self.attribute("title", 0, .text), Self.toMany("children", 1, "Item"),
        Self.toOne("favourite", 2, "Item", isOptional: true),
      ], uniquenessConstraints: [], indices: [])
  }

  static func attribute(
    _ name: String, _ position: Int, _ format: ColumnFormat, isOptional: Bool = false, isUnique: Bool = false
  ) -> PropertyLayout {
    property(
      name, position, .attribute, isOptional: isOptional, isUnique: isUnique,
      columns: [ColumnLayout(name: name, format: format, isOptional: isOptional)])
  }

  static func toOne(_ name: String, _ position: Int, _ destination: String, isOptional: Bool) -> PropertyLayout {
    property(
      name, position, .toOne(destination: destination), isOptional: isOptional,
      columns: [ColumnLayout(name: name, format: .reference, isOptional: isOptional)])
  }

  static func toMany(_ name: String, _ position: Int, _ destination: String) -> PropertyLayout {
    let relationship = Schema.Relationship()
    (relationship.name, relationship.valueType, relationship.destination) = (name, [SampleModel].self, destination)
    let layout = RelationshipLayout(
      relationship, to: SampleModel.self, position: position, of: "Parent", inverse: nil, inverseDeleteRule: nil)
    return property(name, position, .toMany(destination: destination), columns: [], relationship: layout)
  }

  private static func property(
    _ name: String, _ position: Int, _ kind: PropertyKind, isOptional: Bool = false, isUnique: Bool = false,
    columns: [ColumnLayout], relationship: RelationshipLayout? = nil
  ) -> PropertyLayout {
    PropertyLayout(
      name: name, position: position, keyPath: \[Int][position], valueType: Int.self, isOptional: isOptional,
      isUnique: isUnique, defaultValue: nil, kind: kind, columns: columns, relationship: relationship)
  }
}
