import SwiftSyntax
import SwiftSyntaxMacros

/// Names that a stored property cannot have, because every model has a member of that name, or Swift reserves the name.
private let unstorableNames: Set<String> = [
  "hashValue", "modelContext", "persistentModelID", "persistentBackingData", "schemaMetadata", "self", "Type",
]

extension ModelDeclaration {
  /// Reports all errors, warnings and notes for the declaration. Returns true if the macro can expand it nevertheless.
  func diagnose(in context: some MacroExpansionContext, at node: AttributeSyntax) -> Bool {
    diagnoseUnique(in: context)
    diagnoseNames(in: context)
    diagnoseBindings(in: context)
    diagnoseConstants(in: context)
    diagnoseConditions(in: context)
    diagnoseIsolation(in: context)
    diagnoseExtensions(in: context, at: node)
    if !mayHaveInitializer, !isActor {
      context.diagnose(.noInitializer(name: name), at: nameToken, fixIt: .addInitializer(to: self))
    }
    return canExpand
  }

  private func diagnoseUnique(in context: some MacroExpansionContext) {
    let all = expansions(of: "Unique")
    for extra in all.dropFirst() {
      context.diagnose(.secondUnique(name: name), at: extra, fixIt: .merge(extra, into: all[0], of: self))
    }
  }

  /// Rejects a subclass with other macros, which may add initialisers. The superclass may insert an object into a
  /// context while an initialiser of the subclass still runs, so `@Model` must see all initialisers of the subclass.
  private func diagnoseExtensions(in context: some MacroExpansionContext, at node: AttributeSyntax) {
    guard isSubmodel, !isIsolated else { return }
    for element in extensionsByOthers(besides: node.macroName) {
      context.diagnose(.extendedSubclass(name: name), at: element)
    }
  }

  private func diagnoseNames(in context: some MacroExpansionContext) {
    for property in properties {
      if unstorableNames.contains(property.name) {
        context.diagnose(.unstorableName(name: property.name), at: property.binding.pattern)
      } else if property.name.hasPrefix("_$") || property.name.hasPrefix("_osd_") {
        context.diagnose(.reservedName(name: property.name), at: property.binding.pattern)
      }
      if property.isLet, property.relationship != nil {
        context.diagnose(
          .relationshipOnLet(name: property.name), at: property.variable.bindingSpecifier,
          fixIt: .makeVariable(property.variable))
      }
    }
  }

  private func diagnoseBindings(in context: some MacroExpansionContext) {
    for member in declaration.memberBlock.members {
      guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.isTypeMember else { continue }
      guard variable.attribute("Transient") == nil else { continue }
      if variable.bindings.count > 1, !variable.bindings.allSatisfy(\.isComputed) {
        context.diagnose(.severalBindings, at: variable)
      } else if let pattern = variable.bindings.first?.pattern, pattern.is(TuplePatternSyntax.self) {
        context.diagnose(.tuplePattern, at: pattern)
      }
    }
  }

  /// Warns of a constant whose initial value may differ in each evaluation. A constant with an initial value is not
  /// stored, so after `let id = UUID()` a fetched object would have another value than the saved one.
  private func diagnoseConstants(in context: some MacroExpansionContext) {
    let members = declaration.memberBlock.members
    for variable in (Array(members) + members.conditional).compactMap({ $0.decl.as(VariableDeclSyntax.self) }) {
      guard variable.isLet, !variable.isTypeMember, variable.attribute("Transient") == nil,
        let binding = variable.bindings.first, variable.bindings.count == 1,
        let value = binding.initializer?.value, value.mayDiffer
      else { continue }
      context.diagnose(
        .unstoredConstant(name: binding.pattern.trimmedDescription.trimmingBackticks), at: variable.bindingSpecifier,
        fixIt: .makeVariable(variable))
    }
  }

  /// Reports properties, `#Index` and `#Unique` in `#if`, which the macro ignores. A property without a default needs
  /// no diagnostic: the generated initialisers do not set it, so the compiler rejects them.
  private func diagnoseConditions(in context: some MacroExpansionContext) {
    for member in declaration.memberBlock.members.conditional {
      if let expansion = member.decl.as(MacroExpansionDeclSyntax.self), expansion.isRule {
        context.diagnose(.conditionalRule(macro: expansion.macroName.text), at: expansion)
      } else if let variable = member.decl.as(VariableDeclSyntax.self), let property = StoredProperty(variable),
        property.hasImplicitValue
      {
        context.diagnose(.conditionalProperty(name: property.name), at: property.binding.pattern)
      }
    }
  }
}

extension ExprSyntax {
  /// Whether two evaluations may yield different values: true if the expression contains a name, as in `UUID()`.
  fileprivate var mayDiffer: Bool {
    tokens(viewMode: .sourceAccurate).contains {
      if case .identifier = $0.tokenKind { return true }
      return false
    }
  }
}

extension MacroExpansionDeclSyntax {
  /// Whether the macro is `#Index` or `#Unique`.
  fileprivate var isRule: Bool { ["Index", "Unique"].contains(macroName.text) }
}
