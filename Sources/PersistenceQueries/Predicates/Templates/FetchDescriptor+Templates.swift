import Foundation
import PersistenceRuntime

extension FetchDescriptor {
  /// The cached translation of the predicate.
  package func templateMemory(of entity: EntityLayout) -> TemplateMemory.Memory {
    guard let predicate else { return .nothing }
    return PredicateTranslator.memory(of: predicate, entity: entity)
  }
}
