import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import OpenSwiftDataMacros

/// The macros of the plugin under the names that source gives them, with the conformances that their declarations list.
let macros: [String: MacroSpec] = [
  "Model": MacroSpec(type: PersistentModelMacro.self, conformances: ["Observable", "PersistentModel", "Sendable"]),
  "_PersistedProperty": MacroSpec(type: PersistedPropertyMacro.self),
  "_TransformablePersistedProperty": MacroSpec(type: TransformablePersistedPropertyMacro.self),
  "Attribute": MacroSpec(type: AttributePropertyMacro.self),
  "Relationship": MacroSpec(type: RelationshipPropertyMacro.self),
  "Transient": MacroSpec(type: TransientPropertyMacro.self),
  "Unique": MacroSpec(type: UniqueConstraintsMacro.self),
  "Index": MacroSpec(type: IndexMacro.self),
]
