import PersistenceRuntime
import PersistenceSupport

extension Schema {
  /// Every contradiction in the schema, in a stable order.
  ///
  /// Found anew each time, since what is wrong may be put right after the schema was made: a value transformer may
  /// be registered, and an entity may be changed by hand.
  package var problems: [SchemaProblem] {
    var found: [SchemaProblem] = []
    var seen: Set<SchemaProblem> = []
    for problem in buildingProblems + SchemaChecks(self).all() where seen.insert(problem).inserted {
      found.append(problem)
    }
    return found
  }

  /// Throws one error that lists every contradiction in the schema, one in a line.
  package func validate() throws {
    let problems = problems
    guard !problems.isEmpty else { return }
    throw SwiftDataError(.invalidSchema, problems.map(\.description).joined(separator: "\n"))
  }
}

/// The search for contradictions, one entity after the other.
struct SchemaChecks {
  let schema: Schema

  init(_ schema: Schema) {
    self.schema = schema
  }

  func all() -> [SchemaProblem] {
    var found = duplicateEntities()
    for entity in schema.entities {
      found += nameProblems(of: entity)
      found += originalNameProblems(of: entity)
      found += attributeProblems(of: entity)
      found += placeholderProblems(of: entity)
      found += relationshipProblems(of: entity)
      found += ruleProblems(of: entity)
      found += spaceProblems(of: entity)
      found += inheritanceProblems(of: entity)
    }
    return found + originalEntityNameProblems() + ambiguousInverses()
  }

  /// What nobody can make tables of, whatever the models are: for schemas that were read from a store.
  func structuralProblems() -> [SchemaProblem] {
    duplicateEntities() + schema.entities.flatMap { nameProblems(of: $0) + inheritanceProblems(of: $0) }
  }
}
