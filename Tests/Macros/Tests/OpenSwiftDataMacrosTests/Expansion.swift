import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import OpenSwiftDataMacros

/// The macros of the plugin by the names that sources use, with the conformances that their declarations list.
let macros: [String: MacroSpec] = [
  "Model": MacroSpec(type: PersistentModelMacro.self, conformances: ["Observable", "PersistentModel", "Sendable"]),
  "ModelActor": MacroSpec(type: PersistentModelActorMacro.self, conformances: ["ModelActor"]),
  // `@Model` on a subclass of a model. The superclass already has the conformances.
  "Submodel": MacroSpec(type: PersistentModelMacro.self),
  "_PersistedProperty": MacroSpec(type: PersistedPropertyMacro.self),
  "_IsolatedPersistedProperty": MacroSpec(type: IsolatedPersistedPropertyMacro.self),
  "_IsolatedConstant": MacroSpec(type: IsolatedConstantMacro.self),
  "_TransformablePersistedProperty": MacroSpec(type: TransformablePersistedPropertyMacro.self),
  // `@ModelValue` on a class whose superclass already has `@ModelValue`.
  "InheritedValue": MacroSpec(type: ModelValueMacro.self),
  "ModelValue": MacroSpec(type: ModelValueMacro.self, conformances: ["ValueReadable"]),
  "Attribute": MacroSpec(type: AttributePropertyMacro.self),
  "Relationship": MacroSpec(type: RelationshipPropertyMacro.self),
  "Transient": MacroSpec(type: TransientPropertyMacro.self),
  "Unique": MacroSpec(type: UniqueConstraintsMacro.self),
  "Index": MacroSpec(type: IndexMacro.self),
]

/// Expands a source as the compiler does, but does not expand the attributes that `@Model` adds. Their names contain
/// the name of the module, which the expansion engine of the tests does not support; the snapshots named `Accessors…`
/// test them separately.
func expand(_ source: String) -> String {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "TestModule", fullFilePath: "test.swift")])
  let expanded = file.expand(
    macroSpecs: macros,
    contextGenerator: {
      BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
    },
    indentationWidth: .spaces(2))
  return expanded.description
}

/// Checks that a source expands to the given text without any diagnostic.
func expectExpansion(of source: String, is expanded: String) {
  assertMacroExpansion(
    source, expandedSource: expanded, macroSpecs: macros, indentationWidth: .spaces(2), failureHandler: record)
}

/// Checks the diagnostics of a source, and the source after all fix-its are applied.
func expectDiagnostics(_ diagnostics: [DiagnosticSpec], of source: String, fixed: String? = nil) {
  assertMacroExpansion(
    source, expandedSource: expand(source), diagnostics: diagnostics, macroSpecs: macros, fixedSource: fixed,
    indentationWidth: .spaces(2), failureHandler: record)
}

private func record(_ failure: TestFailureSpec) {
  let location = failure.location
  Issue.record(
    "\(failure.message)",
    sourceLocation: SourceLocation(
      fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column))
}
