/// The entities of a store by type and name.
package final class EntityIndex: Sendable {
  package let layouts: [EntityLayout]
  package let modelTypes: [any PersistentModel.Type]
  /// The destinations of relationships without an inverse, and their subentities.
  let oneWayDestinations: Set<String>
  /// Whether any property is encrypted.
  package let hasEncrypted: Bool
  private let byType: [ObjectIdentifier: EntityLayout]
  private let byName: [String: EntityLayout]
  private let byFormerName: [String: EntityLayout]

  package init(_ layouts: [EntityLayout]) {
    self.layouts = layouts
    modelTypes = layouts.map(\.modelType)
    let destinations = Set(layouts.flatMap(\.relationships).filter { $0.inverse == nil }.map(\.destination))
    oneWayDestinations = Set(layouts.filter { destinations.contains($0.name) }.flatMap(\.family).map(\.name))
    hasEncrypted = layouts.contains(where: \.hasEncrypted)
    byType = Dictionary(layouts.map { (ObjectIdentifier($0.modelType), $0) }) { first, _ in first }
    byName = Dictionary(layouts.map { ($0.name, $0) }) { first, _ in first }
    byFormerName = Dictionary(layouts.map { ($0.originalName, $0) }) { first, _ in first }
  }

  func layout(of type: any PersistentModel.Type) -> EntityLayout? { byType[ObjectIdentifier(type)] }

  func layout(named name: String) -> EntityLayout? { byName[name] }

  /// The entity with a name, or else with a former name: an identifier from before a renaming refers to the same row.
  func layout(knownAs name: String) -> EntityLayout? { byName[name] ?? byFormerName[name] }
}
