import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension FixIt {
  static func addModel(before attribute: AttributeSyntax) -> FixIt {
    var model: AttributeSyntax = "@Model"
    model.leadingTrivia = attribute.leadingTrivia
    model.trailingTrivia = .space
    let list: AttributeListSyntax = [.attribute(model), .attribute(attribute.with(\.leadingTrivia, []))]
    return FixIt(
      message: ModelFixIt.addModel, changes: [.replace(oldNode: Syntax(attribute), newNode: Syntax(list))])
  }

  static func removeDistributed(from actor: ActorDeclSyntax) -> FixIt? {
    guard let modifier = actor.distributedModifier else { return nil }
    let others = actor.modifiers.filter { $0.id != modifier.id }
    var replacement = actor.with(\.modifiers, others)
    if others.isEmpty { replacement.actorKeyword.leadingTrivia = modifier.leadingTrivia }
    return FixIt(
      message: ModelFixIt.removeDistributed,
      changes: [.replace(oldNode: Syntax(actor), newNode: Syntax(replacement))])
  }

  /// Adds a type annotation to a property. Returns nil if its type cannot be guessed from its initial value.
  static func addType(to binding: PatternBindingSyntax) -> FixIt? {
    guard let type = binding.initializer?.value.likelyType else { return nil }
    let annotation = TypeAnnotationSyntax(type: TypeSyntax(stringLiteral: type), trailingTrivia: .space)
    let pattern = binding.pattern.with(\.trailingTrivia, [])
    let replacement = binding.with(\.pattern, pattern)
      .with(\.typeAnnotation, annotation.with(\.colon, .colonToken(trailingTrivia: .space)))
    return FixIt(
      message: ModelFixIt.addType(type), changes: [.replace(oldNode: Syntax(binding), newNode: Syntax(replacement))])
  }

  static func remove(_ modifier: DeclModifierSyntax, from variable: VariableDeclSyntax) -> FixIt {
    let others = variable.modifiers.filter { $0.id != modifier.id }
    var replacement = variable.with(\.modifiers, others)
    if variable.modifiers.first?.id == modifier.id {
      if others.isEmpty {
        replacement.bindingSpecifier.leadingTrivia = modifier.leadingTrivia
      } else {
        replacement.modifiers.leadingTrivia = modifier.leadingTrivia
      }
    }
    return FixIt(
      message: ModelFixIt.removeNonisolated,
      changes: [.replace(oldNode: Syntax(variable), newNode: Syntax(replacement))])
  }

  /// Replaces `self.name = …` by `self._name = …`, an assignment of the property's nonisolated twin.
  static func assignTwin(of name: TokenSyntax) -> FixIt {
    let replacement = name.with(\.tokenKind, .identifier("_\(name.name)".identifier))
    return FixIt(
      message: ModelFixIt.assignTwin(name.name),
      changes: [.replace(oldNode: Syntax(name), newNode: Syntax(replacement))])
  }
}
