import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Where the value at a key path of a model is stored: in a column of the model's row, or of a related row,
/// which to-one relationships lead to.
package struct ValuePath: Sendable, Hashable {
  /// The column at the end of a path.
  package enum Column: Sendable, Hashable {
    /// A column of a property, and its index among the property's columns.
    case property(Int, column: Int)
    /// The primary key.
    case key
    /// A relationship itself, not a property of the related models.
    case relationship(Int)
  }

  /// How a value is converted before it is compared.
  package enum Suffix: Sendable, Hashable {
    case none
    /// The Boolean becomes a number.
    case rank
    case text(TextOrder)
  }

  /// The to-one relationships on the path.
  package let steps: [RelationshipStep]
  package let column: Column
  package let suffix: Suffix

  package init(steps: [RelationshipStep] = [], column: Column, suffix: Suffix = .none) {
    self.steps = steps
    self.column = column
    self.suffix = suffix
  }
}

/// Finds the column that a key path through several properties leads to, such as the path to a related model's name.
package struct ValuePathResolver {
  private let entity: EntityLayout
  private let destination: (RelationshipLayout) -> EntityLayout?

  /// - Parameter destination: Returns the destination of a relationship in the same store.
  package init(_ entity: EntityLayout, destination: @escaping (RelationshipLayout) -> EntityLayout?) {
    self.entity = entity
    self.destination = destination
  }

  /// The column that a key path of the entity's model leads to; nil if it leads to no column.
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

  /// Resolves the rest of a key path's description. `text` begins with a component that is a property of `entity`.
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

  /// Whether the rest is empty or only the `?` of an optional chain.
  private func isEnd(_ rest: Substring) -> Bool { rest.isEmpty || rest == "?" }

  private static let suffixes: [(text: String, suffix: ValuePath.Suffix)] = [
    (\Bool._$rank, .rank), (\Bool?._$rank, .rank),
    (\String._$localized, .text(.localized)), (\String?._$localized, .text(.localized)),
    (\String._$localizedStandard, .text(.localizedStandard)),
    (\String?._$localizedStandard, .text(.localizedStandard)),
  ].compactMap { (keyPath: AnyKeyPath, suffix) in KeyPathPiece.text(of: keyPath).map { ($0, suffix) } }
}

extension IdentityMap {
  /// Where the value at a key path of the map's models is stored; nil if it is not stored.
  package func valuePath(of keyPath: AnyKeyPath) -> ValuePath? {
    let store = store
    return ValuePathResolver(entity) { store.layout(of: $0.destinationType) }.path(of: keyPath)
  }
}

extension CompositeLayout {
  /// The column of the member that `text`, a part of a key path's description, names first, and the rest of `text`.
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
  /// For each property, including those of superclasses, its text in descriptions of key paths.
  fileprivate var keyPathPieces: [KeyPathPiece] {
    withQueryMemory { memory in
      memory.valuePaths.pieces { positions.compactMap { KeyPathPiece($0.key, position: $0.value) } }
    }
  }
}

/// Caches the column that each key path of an entity leads to, and the text of each property in descriptions of key
/// paths. Thread-safe.
package final class ValuePathMemory: Sendable {
  private struct State: @unchecked Sendable {
    // Unchecked: the type of key paths is not Sendable. Key paths of models capture nothing mutable.
    var paths: [AnyKeyPath: ValuePath?] = [:]
    var pieces: [KeyPathPiece]?
  }

  private static let capacity = 512

  private let state = Lock(State())

  package init() {}

  func path(of keyPath: AnyKeyPath, find: () -> ValuePath?) -> ValuePath? {
    if let known = state.withLock({ $0.paths[keyPath] }) { return known }
    let found = find()
    state.withLock { if $0.paths.count < Self.capacity { $0.paths[keyPath] = found } }
    return found
  }

  func pieces(make: () -> [KeyPathPiece]) -> [KeyPathPiece] {
    if let known = state.withLock({ $0.pieces }) { return known }
    let made = make()
    state.withLock { $0.pieces = made }
    return made
  }
}

/// The text of a property in the debug descriptions of key paths that go through it.
///
/// Swift cannot split a key path into its components, nor build a key path through `?` from components. But the debug
/// description of a key path has a text for each component: the name of a stored member, or the address of an accessor.
/// Each of these texts is compared with the texts of the properties; nothing else is read from the description. If the
/// description contains any other text, the key path counts as unknown.
struct KeyPathPiece: Sendable {
  let text: String
  let position: Int

  /// The text of a property's key path; nil if the description does not begin with the root type.
  init?(_ keyPath: AnyKeyPath, position: Int) {
    guard let text = Self.text(of: keyPath) else { return nil }
    self.text = text
    self.position = position
  }

  /// The description of a key path, without its root type.
  static func text(of keyPath: AnyKeyPath) -> String? {
    let description = keyPath.debugDescription
    let root = "\\\(type(of: keyPath).rootType)"
    guard description.hasPrefix(root + ".") else { return nil }
    return String(description.dropFirst(root.count))
  }
}

extension Substring {
  /// The text after the given piece; nil if the text does not begin with it, or begins with a longer name.
  func rest(after piece: String) -> Substring? {
    guard hasPrefix(piece) else { return nil }
    let rest = dropFirst(piece.count)
    return rest.isEmpty || rest.first == "." || rest.first == "?" || rest.first == "!" ? rest : nil
  }

  /// The text after the `?` or `!` of an optional, if there is one.
  var afterOptional: Substring { first == "?" || first == "!" ? dropFirst() : self }
}
