// This module knows the syntax of declarations, and the names of what expansions use, which it does not import.

import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct OpenSwiftDataPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    PersistentModelMacro.self,
    PersistentModelActorMacro.self,
    PersistedPropertyMacro.self,
    TransformablePersistedPropertyMacro.self,
    IsolatedPersistedPropertyMacro.self,
    IsolatedConstantMacro.self,
    ModelValueMacro.self,
    AttributePropertyMacro.self,
    RelationshipPropertyMacro.self,
    TransientPropertyMacro.self,
    UniqueConstraintsMacro.self,
    IndexMacro.self,
  ]
}
