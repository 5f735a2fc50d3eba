import PersistenceRuntime
import PersistenceSupport

extension Schema {
  /// All contradictions in the schema, in a stable order.
  ///
  /// Computed on each access, since contradictions may be resolved later: a program may register a value transformer or
  /// change an entity.
  package var problems: [SchemaProblem] {
    var found: [SchemaProblem] = []
    var seen: Set<SchemaProblem> = []
    for problem in buildingProblems + SchemaChecks(self).all() where seen.insert(problem).inserted {
      found.append(problem)
    }
    return found
  }

  /// Throws one error with all contradictions, one contradiction per line.
  package func validate() throws {
    let problems = problems
    guard !problems.isEmpty else { return }
    throw SwiftDataError(.invalidSchema, problems.map(\.description).joined(separator: "\n"))
  }
}

/// Collects the contradictions of a schema, by entity.
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

  /// The contradictions with which no table can be created, for schemas decoded from a store.
  func structuralProblems() -> [SchemaProblem] {
    duplicateEntities() + schema.entities.flatMap { nameProblems(of: $0) + inheritanceProblems(of: $0) }
  }
}
