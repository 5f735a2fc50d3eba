import PersistenceRuntime
import PersistenceSupport

extension Schema {
  /// All contradictions in the schema, always in the same order.
  ///
  /// They are computed on each access, because the program may resolve them later: it may register a value transformer,
  /// or change an entity.
  package var problems: [SchemaProblem] {
    var found: [SchemaProblem] = []
    var seen: Set<SchemaProblem> = []
    for problem in buildingProblems + SchemaChecks(self).all() where seen.insert(problem).inserted {
      found.append(problem)
    }
    return found
  }

  /// If the schema is contradictory, throws one error whose message lists all contradictions, one in each line.
  package func validate() throws {
    let problems = problems
    guard !problems.isEmpty else { return }
    throw SwiftDataError(.invalidSchema, problems.map(\.description).joined(separator: "\n"))
  }
}

/// Finds the contradictions in a schema.
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

  /// The contradictions that make it impossible to create the tables. Only these are checked in a schema that was
  /// decoded from a store.
  func structuralProblems() -> [SchemaProblem] {
    duplicateEntities() + schema.entities.flatMap { nameProblems(of: $0) + inheritanceProblems(of: $0) }
  }
}
