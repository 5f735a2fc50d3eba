import SwiftSyntax

extension DeclGroupSyntax {
  /// The access modifier of generated members that are visible outside of the type, with a trailing space.
  ///
  /// A type without a modifier has the access level of the extension that contains it. Its members do not inherit this
  /// level, so they need the modifier of the extension.
  ///
  /// - Parameter lexicalContext: The enclosing declarations, innermost first.
  func memberAccess(in lexicalContext: [Syntax]) -> String {
    let enclosing = lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers.accessKeyword
    switch modifiers.accessKeyword ?? enclosing {
    case .public, .open: return "public "
    case .package: return "package "
    default: return ""
    }
  }

  /// Whether the body of the type declares a property with this name. Extensions are not searched.
  func declares(_ name: String) -> Bool {
    memberBlock.members.contains { member in
      let bindings = member.decl.as(VariableDeclSyntax.self)?.bindings ?? []
      return bindings.contains { $0.pattern.trimmedDescription == name }
    }
  }
}

extension MemberBlockItemListSyntax {
  /// The initialisers, including those in `#if`.
  var initializers: [InitializerDeclSyntax] {
    (Array(self) + conditional).compactMap { $0.decl.as(InitializerDeclSyntax.self) }
  }

  /// The members in `#if`, at any depth.
  var conditional: [MemberBlockItemSyntax] {
    flatMap { member -> [MemberBlockItemSyntax] in
      (member.decl.as(IfConfigDeclSyntax.self)?.clauses ?? []).flatMap { clause -> [MemberBlockItemSyntax] in
        guard case .decls(let members)? = clause.elements else { return [] }
        return Array(members) + members.conditional
      }
    }
  }
}
