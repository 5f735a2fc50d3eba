import Foundation

extension FetchDescriptor {
  /// What is known of the predicate's translation, when one like it was translated before.
  ///
  /// Looks at the descriptor as one of another model. The model is no part of a descriptor's memory: predicates, orders and key
  /// paths are references and numbers whatever they are about. In code for any model each touch of the predicate would look up
  /// the metadata of its type, which takes longer than finding the tree. So would a copy of the predicate, which Swift makes
  /// of whatever is read through a pointer: an optional that holds something begins with it, and one without has no type there.
  func templateMemory(of entity: EntityLayout) -> TemplateMemory.Memory {
    withUnsafePointer(to: self) { pointer in
      guard let offset = PredicatePlace.offset,
        let place = unsafe ExpressionPlace(predicate: UnsafeRawPointer(pointer) + offset), place.type != 0
      else { return .nothing }
      return entity.templates.memory(of: place)
    }
  }
}

/// Where descriptors have their predicate.
private enum PredicatePlace {
  static let offset = MemoryLayout<FetchDescriptor<AbsentModel>>.offset(of: \.predicate)
}
