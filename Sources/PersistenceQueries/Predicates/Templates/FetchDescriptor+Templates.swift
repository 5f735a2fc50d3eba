import Foundation
import PersistenceRuntime

extension FetchDescriptor {
  /// What is known of the predicate's translation, when one like it was translated before.
  package func templateMemory(of entity: EntityLayout) -> TemplateMemory.Memory {
    guard let predicate else { return .nothing }
    return PredicateTranslator.memory(of: predicate, entity: entity)
  }
}
