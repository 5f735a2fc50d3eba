import SwiftSyntax
import SwiftSyntaxMacros

extension ModelDeclaration {
  /// Whether the macro generates an executor: the model is an actor that declares no executor itself.
  var hasOwnExecutor: Bool {
    isActor && !declaration.declares("unownedExecutor") && !declaration.declares("modelExecutor")
  }

  /// Whether the macro can expand an isolated model: every property can have a nonisolated twin (`_name`), and
  /// ``diagnoseIsolation(in:)`` reports no error except for a superclass. True for a model without isolation.
  var canIsolate: Bool {
    guard isIsolated else { return true }
    return properties.allSatisfy(Self.canIsolate) && synchronousAssignments.isEmpty && genericParameters == nil
      && modelActorAttribute == nil
  }

  /// Whether the actor's inheritance clause contains types, but not `PersistentModel`. One of these types may provide
  /// the conformance. If one of them is an actor, the compiler itself also rejects the inheritance.
  var inheritsSomething: Bool {
    let types = declaration.inheritanceClause?.inheritedTypes.map(\.type) ?? []
    return !types.isEmpty && !types.contains(where: \.isPersistentModel)
  }

  /// The names of the private types that are nested in the model.
  var privateTypes: Set<String> {
    let members = declaration.memberBlock.members.map(\.decl)
    let hidden = members.filter {
      $0.asProtocol(WithModifiersSyntax.self)?.modifiers.accessKeyword == .private
    }
    return Set(hidden.compactMap { $0.asProtocol(NamedDeclSyntax.self)?.name.text })
  }

  private static func canIsolate(_ property: StoredProperty) -> Bool {
    property.writtenType != nil && property.variable.nonisolatedModifier == nil && property.variable.otherActor == nil
  }

  private var genericParameters: GenericParameterClauseSyntax? {
    declaration.as(ActorDeclSyntax.self)?.genericParameterClause
      ?? declaration.as(ClassDeclSyntax.self)?.genericParameterClause
  }

  private var modelActorAttribute: AttributeSyntax? {
    guard isActor else { return nil }
    return declaration.attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.macroName == "ModelActor" }
  }

  func diagnoseIsolation(in context: some MacroExpansionContext) {
    guard isIsolated else { return }
    if isSubmodel { context.diagnose(.isolatedSubclass(name: name), at: nameToken) }
    if let genericParameters { context.diagnose(.isolatedGeneric(name: name), at: genericParameters) }
    if let modelActorAttribute { context.diagnose(.modelIsModelActor(name: name), at: modelActorAttribute) }
    for property in properties {
      if property.writtenType == nil {
        context.diagnose(
          .isolatedWithoutType(name: property.name), at: property.binding.pattern, fixIt: .addType(to: property.binding)
        )
      }
      if let attribute = property.variable.otherActor {
        context.diagnose(.storedInOtherActor(name: property.name), at: attribute)
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

  /// The assignments `self.name = …` of isolated properties in synchronous initialisers of an actor, which the compiler
  /// would reject, because such an initialiser is nonisolated.
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

/// Collects the assignments `self.name = …` in an initialiser, except those in closures.
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
  /// The attribute of a variable that isolates it to a global actor.
  var otherActor: AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first(where: \.namesGlobalActor)
  }

  /// The `nonisolated` modifier of a variable; nil for a constant, which does not need the modifier.
  var nonisolatedModifier: DeclModifierSyntax? {
    isLet ? nil : modifiers.first { $0.name.tokenKind == .keyword(.nonisolated) }
  }

  var isNonisolated: Bool { modifiers.contains { $0.name.tokenKind == .keyword(.nonisolated) } }
}
