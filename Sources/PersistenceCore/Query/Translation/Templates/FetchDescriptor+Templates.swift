import Foundation

extension FetchDescriptor {
  /// The tree of the predicate, when one like it was translated before.
  ///
  /// Looks at the descriptor as one of another model. The model is no part of a descriptor's memory: predicates, orders and key
  /// paths are references and numbers whatever they are about. In code for any model each touch of the predicate would look up
  /// the metadata of its type, which takes longer than finding the tree.
  func rememberedTree(in entity: EntityLayout) -> QueryTree? {
    withUnsafePointer(to: self) { pointer in
      let descriptor = unsafe UnsafeRawPointer(pointer).assumingMemoryBound(to: FetchDescriptor<AbsentModel>.self)
      guard let predicate = unsafe descriptor.pointee.predicate,
        case .tree(let tree) = PredicateTranslator.memory(of: predicate, entity: entity)
      else { return nil }
      return tree
    }
  }
}
