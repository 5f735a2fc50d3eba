import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Resolves key paths through several properties.
package struct ValuePathResolver {
  private let entity: EntityLayout
  private let destination: (RelationshipLayout) -> EntityLayout?

  /// - Parameter destination: Returns the destination of a relationship in the same store.
  package init(_ entity: EntityLayout, destination: @escaping (RelationshipLayout) -> EntityLayout?) {
    self.entity = entity
    self.destination = destination
  }

  /// The target of a key path of the entity's model; nil if it is not a column.
  package func path(of keyPath: AnyKeyPath) -> ValuePath? {
    switch entity.meaning(of: keyPath) {
    case .property(let position): ValuePath(column: .property(position, column: 0))
    case .column(let position, let column): ValuePath(column: .property(position, column: column))
    case .key: ValuePath(column: .key)
    case .relationship(let position): ValuePath(column: .relationship(position))
    case .unknown: entity.withQueryMemory { $0.valuePaths.path(of: keyPath) { find(keyPath) } }
    case .composite, .transformable, .rawValue, .emptyText, .member, .count, .isEmpty, .first, .secondsSince1970,
      .isNotANumber:
      nil
    }
  }

  private func find(_ keyPath: AnyKeyPath) -> ValuePath? {
    KeyPathPiece.text(of: keyPath).flatMap { follow(Substring($0), from: entity, []) }
  }

  /// Resolves the rest of a description from an entity on.
  private func follow(_ text: Substring, from entity: EntityLayout, _ steps: [RelationshipStep]) -> ValuePath? {
    for piece in entity.keyPathPieces {
      guard let rest = text.rest(after: piece.text) else { continue }
      return follow(rest, behind: entity.properties[piece.position], of: entity, steps)
    }
    return nil
  }

  private func follow(
    _ rest: Substring, behind property: PropertyLayout, of entity: EntityLayout, _ steps: [RelationshipStep]
  ) -> ValuePath? {
    if let relationship = property.relationship {
      if isEnd(rest) { return ValuePath(steps: steps, column: .relationship(property.position)) }
      guard !relationship.isToMany, let destination = destination(relationship) else { return nil }
      let step = RelationshipStep(position: property.position, destination: destination.name)
      return follow(rest.afterOptional, from: destination, steps + [step])
    }
    if let composite = property.composite {
      guard let (column, end) = composite.column(at: rest, in: 0) else { return nil }
      return leaf(end, ValuePath.Column.property(property.position, column: column), steps)
    }
    guard property.kind == .attribute, property.columns.count == 1 else { return nil }
    return leaf(rest, .property(property.position, column: 0), steps)
  }

  private func leaf(_ rest: Substring, _ column: ValuePath.Column, _ steps: [RelationshipStep]) -> ValuePath? {
    if isEnd(rest) { return ValuePath(steps: steps, column: column) }
    for (text, suffix) in Self.suffixes where rest.afterOptional == text || rest == text {
      return ValuePath(steps: steps, column: column, suffix: suffix)
    }
    return nil
  }

  /// Whether only the mark of an optional chain follows.
  private func isEnd(_ rest: Substring) -> Bool { rest.isEmpty || rest == "?" }

  private static let suffixes: [(text: String, suffix: ValuePath.Suffix)] = [
    (\Bool._$rank, .rank), (\Bool?._$rank, .rank),
    (\String._$localized, .text(.localized)), (\String?._$localized, .text(.localized)),
    (\String._$localizedStandard, .text(.localizedStandard)),
    (\String?._$localizedStandard, .text(.localizedStandard)),
  ].compactMap { (keyPath: AnyKeyPath, suffix) in KeyPathPiece.text(of: keyPath).map { ($0, suffix) } }
}

extension IdentityMap {
  /// The target of a key path of the map's models; nil if it is not stored.
  package func valuePath(of keyPath: AnyKeyPath) -> ValuePath? {
    let store = store
    return ValuePathResolver(entity) { store.layout(of: $0.destinationType) }.path(of: keyPath)
  }
}

extension CompositeLayout {
  /// The column that a description denotes within a part, and the rest of the description.
  fileprivate func column(at text: Substring, in part: Int) -> (column: Int, rest: Substring)? {
    let text = text.afterOptional
    for member in parts[part].members {
      guard let name = parts[member.part].path.last, let rest = text.rest(after: "." + name) else { continue }
      if parts[member.part].inner == nil { return (parts[member.part].column, rest) }
      return column(at: rest, in: member.part)
    }
    return nil
  }
}

extension EntityLayout {
  /// The pieces of the properties' key paths, including those of superclasses.
  fileprivate var keyPathPieces: [KeyPathPiece] {
    withQueryMemory { memory in
      memory.valuePaths.pieces { positions.compactMap { KeyPathPiece($0.key, position: $0.value) } }
    }
  }
}
