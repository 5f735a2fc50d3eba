import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension FixIt {
  /// Turns `struct` or `enum` into `class`.
  static func makeClass(_ keyword: TokenSyntax) -> FixIt {
    let replacement = keyword.with(\.tokenKind, .keyword(.class))
    return FixIt(message: ModelFixIt.makeClass, changes: [.replace(oldNode: Syntax(keyword), newNode: Syntax(replacement))])
  }

  /// Makes the type of a transient property optional.
  static func addDefault(to binding: PatternBindingSyntax) -> FixIt? {
    guard let type = binding.typeAnnotation?.type else { return nil }
    let optional = OptionalTypeSyntax(wrappedType: type.trimmed).with(\.trailingTrivia, type.trailingTrivia)
    return FixIt(message: ModelFixIt.addDefault, changes: [.replace(oldNode: Syntax(type), newNode: Syntax(optional))])
  }

  /// Adds an initialiser that takes every property without a default.
  static func addInitializer(to model: ModelDeclaration) -> FixIt {
    let needed = model.properties.filter { $0.initializer == nil && !($0.type?.isOptional ?? false) }
    let parameters = needed.map { "\($0.code): \($0.type?.trimmedDescription ?? "Any")" }.joined(separator: ", ")
    let body = needed.map { "self.\($0.code) = \($0.code)" }.joined(separator: "; ")
    let text = body.isEmpty ? "init() {}" : "init(\(parameters)) { \(body) }"
    let members = model.declaration.memberBlock.members
    let added = MemberBlockItemSyntax(
      leadingTrivia: "\n  ", decl: DeclSyntax(stringLiteral: text), trailingTrivia: "\n")
    let replacement = members + [added]
    return FixIt(
      message: ModelFixIt.addInitializer,
      changes: [.replace(oldNode: Syntax(members), newNode: Syntax(replacement))])
  }

  /// Turns `let` into `var`.
  static func makeVariable(_ variable: VariableDeclSyntax) -> FixIt {
    let keyword = variable.bindingSpecifier
    let replacement = keyword.with(\.tokenKind, .keyword(.var))
    return FixIt(
      message: ModelFixIt.makeVariable, changes: [.replace(oldNode: Syntax(keyword), newNode: Syntax(replacement))])
  }
}
