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
  "ModelActor": MacroSpec(type: PersistentModelActorMacro.self, conformances: ["ModelActor"]),
  // As the compiler expands `@Model` on a subclass of a model, which has the conformances already.
  "Submodel": MacroSpec(type: PersistentModelMacro.self),
  "_PersistedProperty": MacroSpec(type: PersistedPropertyMacro.self),
  "_IsolatedPersistedProperty": MacroSpec(type: IsolatedPersistedPropertyMacro.self),
  "_IsolatedConstant": MacroSpec(type: IsolatedConstantMacro.self),
  "_TransformablePersistedProperty": MacroSpec(type: TransformablePersistedPropertyMacro.self),
  // As the compiler expands `@ModelValue` where the superclass carries it.
  "InheritedValue": MacroSpec(type: ModelValueMacro.self),
  "ModelValue": MacroSpec(type: ModelValueMacro.self, conformances: ["ValueReadable"]),
  "Attribute": MacroSpec(type: AttributePropertyMacro.self),
  "Relationship": MacroSpec(type: RelationshipPropertyMacro.self),
  "Transient": MacroSpec(type: TransientPropertyMacro.self),
  "Unique": MacroSpec(type: UniqueConstraintsMacro.self),
  "Index": MacroSpec(type: IndexMacro.self),
]

/// Expands a source as the compiler would, but for the attributes that `@Model` adds: the expansion engine of the tests
/// does not see an attribute behind the name of its module, so accessors have snapshots of their own.
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

/// Expects that a source expands to a text, without a diagnostic.
func expectExpansion(of source: String, is expanded: String) {
  assertMacroExpansion(
    source, expandedSource: expanded, macroSpecs: macros, indentationWidth: .spaces(2), failureHandler: record)
}

/// Expects what the macros say about a source, and what the source is when every fix that they offer is applied.
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
