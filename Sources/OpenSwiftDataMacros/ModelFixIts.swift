import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension FixIt {
  static func makeClass(_ keyword: TokenSyntax) -> FixIt {
    let replacement = keyword.with(\.tokenKind, .keyword(.class))
    return FixIt(
      message: ModelFixIt.makeClass, changes: [.replace(oldNode: Syntax(keyword), newNode: Syntax(replacement))])
  }

  /// Makes the type of a transient property optional. A constant gets no fix-it, because it would still need a value.
  static func addDefault(to binding: PatternBindingSyntax, in variable: VariableDeclSyntax) -> FixIt? {
    guard let type = binding.typeAnnotation?.type, !variable.isLet else { return nil }
    let optional: TypeSyntax = "\(raw: type.parenthesizedSource)?"
    return FixIt(
      message: ModelFixIt.addDefault,
      changes: [.replace(oldNode: Syntax(type), newNode: Syntax(optional.with(\.trailingTrivia, type.trailingTrivia)))])
  }

  /// Adds an initialiser that has a parameter for every property without a default.
  static func addInitializer(to model: ModelDeclaration) -> FixIt {
    let needed = model.properties.filter { $0.typedDefault == nil }
    let parameters = needed.map { "\($0.code): \($0.type?.trimmedDescription ?? "Any")" }.joined(separator: ", ")
    let body = needed.map { "self.\($0.code) = \($0.code)" }.joined(separator: "; ")
    let text = model.access + (body.isEmpty ? "init() {}" : "init(\(parameters)) { \(body) }")
    let block = model.declaration.memberBlock
    let indentation = block.members.first?.leadingTrivia.pieces.last { !$0.isNewline } ?? .spaces(2)
    let added = MemberBlockItemSyntax(
      leadingTrivia: [.newlines(block.members.isEmpty ? 1 : 2), indentation], decl: DeclSyntax(stringLiteral: text))
    let brace = block.rightBrace
    let isOnOwnLine = brace.leadingTrivia.contains(where: \.isNewline)
    let replacement = block.with(\.members, block.members + [added])
      .with(\.rightBrace, isOnOwnLine ? brace : brace.with(\.leadingTrivia, .newline))
    return FixIt(
      message: ModelFixIt.addInitializer, changes: [.replace(oldNode: Syntax(block), newNode: Syntax(replacement))])
  }

  static func makeVariable(_ variable: VariableDeclSyntax) -> FixIt {
    let keyword = variable.bindingSpecifier
    let replacement = keyword.with(\.tokenKind, .keyword(.var))
    return FixIt(
      message: ModelFixIt.makeVariable, changes: [.replace(oldNode: Syntax(keyword), newNode: Syntax(replacement))])
  }

  /// Moves the constraints of a second `#Unique` to the first one, and deletes the second.
  static func merge(
    _ extra: MacroExpansionDeclSyntax, into first: MacroExpansionDeclSyntax, of model: ModelDeclaration
  ) -> FixIt {
    let members = model.declaration.memberBlock.members
    let own = first.arguments.enumerated().map { index, argument in
      index == first.arguments.count - 1
        ? argument.with(\.trailingComma, .commaToken(trailingTrivia: .space)) : argument
    }
    let merged = first.with(\.arguments, own + extra.arguments)
    let replacement: [MemberBlockItemSyntax] = members.compactMap {
      if $0.decl.id == extra.id { return nil }
      return $0.decl.id == first.id ? $0.with(\.decl, DeclSyntax(merged)) : $0
    }
    return FixIt(
      message: ModelFixIt.mergeUnique,
      changes: [.replace(oldNode: Syntax(members), newNode: Syntax(MemberBlockItemListSyntax(replacement)))])
  }
}
