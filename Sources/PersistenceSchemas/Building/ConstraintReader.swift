import PersistenceRuntime

/// Adds the rules of a model's `#Index` and `#Unique` to its entity, with property names instead of key paths.
struct ConstraintReader {
  let entity: Schema.Entity
  private(set) var problems: [SchemaProblem] = []

  init(entity: Schema.Entity) {
    self.entity = entity
  }

  mutating func read() {
    entity.adoptUniqueProperties()
    for case let listing as any KeyPathListing in entity.metadata.compactMap(\.metadata) {
      for (index, list) in listing.keyPathLists.enumerated() {
        read(list, at: index + 1, of: listing)
      }
    }
    readOptions()
    dropInherited()
  }

  /// Converts the attribute option `.index` of Apple's betas to an index.
  private func readOptions() {
    for attribute in entity.storedAttributes where attribute.options.contains(where: \.isIndex) {
      attribute.options.removeAll(where: \.isIndex)
      add([attribute.name], kind: .binary)
    }
  }

  private mutating func read(_ list: KeyPathList, at position: Int, of listing: any KeyPathListing) {
    var names: [String] = []
    for (index, keypath) in list.keypaths.enumerated() {
      guard let name = entity.propertyName(for: keypath) else {
        let location = "entry \(index + 1) of list \(position) of \(listing.macroName)"
        problems.append(.unresolvedKeyPath(entity: entity.name, location: location, type: type(of: keypath).valueType))
        continue
      }
      names.append(name)
    }
    // A list with an unresolved key path is left out: without this property it would be a different rule.
    guard names.count == list.keypaths.count else { return }
    add(names, kind: list.kind)
  }

  private func add(_ names: [String], kind: KeyPathList.Kind) {
    guard kind != .unique else {
      entity.addUniquenessConstraint(names)
      return
    }
    let known = kind == .rtree ? entity.rtreeIndices : entity.binaryIndices
    guard !known.contains(names) else { return }
    entity.indices.append(names)
    if kind == .rtree { entity.rtreeIndices.append(names) }
  }

  // Removes the indexes and uniqueness rules of the superclass. The metadata of a subclass may repeat them.
  private func dropInherited() {
    for superentity in entity.superentities {
      let inherited = ConstraintNames(superentity)
      entity.uniquenessConstraints.removeAll { inherited.unique.contains($0) }
      entity.removeIndices(binary: inherited.indices, rtree: inherited.rtreeIndices)
    }
  }
}

/// The indexes and uniqueness rules in the metadata of a superentity, as lists of property names.
private struct ConstraintNames {
  var unique: Set<[String]> = []
  var indices: Set<[String]> = []
  var rtreeIndices: Set<[String]> = []

  init(_ entity: Schema.Entity) {
    unique = Set(entity.storedProperties.filter(\.isUnique).map { [$0.name] })
    for case let listing as any KeyPathListing in entity.metadata.compactMap(\.metadata) {
      for list in listing.keyPathLists {
        let names = list.keypaths.compactMap { entity.propertyName(for: $0) }
        switch list.kind {
        case .unique: unique.insert(names)
        case .binary: indices.insert(names)
        case .rtree: rtreeIndices.insert(names)
        }
      }
    }
  }
}

extension Schema.Entity {
  /// Removes the indexes that a superentity already has.
  fileprivate func removeIndices(binary: Set<[String]>, rtree: Set<[String]>) {
    guard !binary.isEmpty || !rtree.isEmpty else { return }
    let kept = binaryIndices.filter { !binary.contains($0) }
    rtreeIndices.removeAll { rtree.contains($0) }
    indices = kept + rtreeIndices
  }
}
