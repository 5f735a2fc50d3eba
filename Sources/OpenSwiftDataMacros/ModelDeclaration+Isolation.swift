import SwiftSyntax
import SwiftSyntaxMacros

extension ModelDeclaration {
  /// Whether generated code says where the jobs of an actor run; an actor that says so itself is left alone.
  var hasOwnExecutor: Bool { isActor && !declares("unownedExecutor") && !declares("modelExecutor") }

  /// Whether every property can be written twice, in the actor and outside of it.
  var canIsolate: Bool {
    guard isIsolated else { return true }
    return properties.allSatisfy { $0.writtenType != nil && $0.variable.nonisolatedModifier == nil }
      && synchronousAssignments.isEmpty
  }

  private func declares(_ name: String) -> Bool {
    declaration.memberBlock.members.contains { member in
      let bindings = member.decl.as(VariableDeclSyntax.self)?.bindings ?? []
      return bindings.contains { $0.pattern.trimmedDescription == name }
    }
  }

  func diagnoseIsolation(in context: some MacroExpansionContext) {
    guard isIsolated else { return }
    if isSubmodel { context.diagnose(.isolatedSubclass(name: name), at: nameToken) }
    for property in properties {
      if property.writtenType == nil {
        context.diagnose(
          .isolatedWithoutType(name: property.name), at: property.binding.pattern, fixIt: .addType(to: property.binding)
        )
      }
      if let modifier = property.variable.nonisolatedModifier {
        context.diagnose(
          .storedNonisolated(name: property.name), at: modifier, fixIt: .remove(modifier, from: property.variable))
      }
    }
    for assignment in synchronousAssignments {
      context.diagnose(
        .synchronousAssignment(name: assignment.text), at: assignment, fixIt: .assignTwin(of: assignment))
    }
  }

  /// The names of properties that initialisers of an actor assign which do not run in it.
  private var synchronousAssignments: [TokenSyntax] {
    guard isActor else { return [] }
    let names = Set(properties.filter { !$0.isLet }.map(\.name))
    return declaration.memberBlock.members.flatMap { member -> [TokenSyntax] in
      guard let initializer = member.decl.as(InitializerDeclSyntax.self), let body = initializer.body,
        initializer.signature.effectSpecifiers?.asyncSpecifier == nil
      else { return [] }
      let search = AssignmentSearch(names)
      search.walk(body)
      return search.found
    }
  }
}

/// Finds assignments to `self.name`.
private final class AssignmentSearch: SyntaxVisitor {
  private let names: Set<String>
  private(set) var found: [TokenSyntax] = []

  init(_ names: Set<String>) {
    self.names = names
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
    let elements = Array(node.elements)
    if elements.count > 2, elements[1].is(AssignmentExprSyntax.self),
      let target = elements[0].as(MemberAccessExprSyntax.self), target.base?.trimmedDescription == "self",
      names.contains(target.declName.baseName.text.trimmingBackticks)
    {
      found.append(target.declName.baseName)
    }
    return .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

extension VariableDeclSyntax {
  /// The word that takes a variable out of its actor. A constant is outside of it anyway.
  var nonisolatedModifier: DeclModifierSyntax? {
    isLet ? nil : modifiers.first { $0.name.tokenKind == .keyword(.nonisolated) }
  }
}
