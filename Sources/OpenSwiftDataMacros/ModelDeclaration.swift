import SwiftSyntax
import SwiftSyntaxMacros

/// A class or an actor that carries `@Model`, read once for all roles of the macro.
struct ModelDeclaration {
  let declaration: any DeclGroupSyntax
  let nameToken: TokenSyntax
  /// Which actor the properties belong to, if any.
  let isolation: ModelIsolation
  let properties: [StoredProperty]
  /// Whether the superclass is a model too. Only the compiler knows, and only the roles that conform are told.
  let isSubmodel: Bool
  /// What the class is declared in, from the inside out.
  private let lexicalContext: [Syntax]

  /// The model of a declaration; nil for what can be none.
  init?(_ declaration: some DeclGroupSyntax, in lexicalContext: [Syntax] = [], isSubmodel: Bool = false) {
    guard let isolation = ModelIsolation(declaration), let name = declaration.asProtocol(NamedDeclSyntax.self)?.name
    else { return nil }
    self.declaration = declaration
    self.nameToken = name
    self.isolation = isolation
    self.lexicalContext = lexicalContext
    self.isSubmodel = isSubmodel
    self.properties = declaration.memberBlock.members.compactMap {
      $0.decl.as(VariableDeclSyntax.self).flatMap { StoredProperty($0, isIsolated: isolation != .none) }
    }
  }

  var name: String { nameToken.trimmedDescription }

  var isActor: Bool { isolation == .actor }

  var isIsolated: Bool { isolation != .none }

  /// Whether the class, or one that it is declared in, has parameters.
  var isGeneric: Bool {
    ([Syntax(declaration)] + lexicalContext).contains {
      $0.asProtocol(WithGenericParametersSyntax.self)?.genericParameterClause != nil
    }
  }

  var isFinal: Bool { isActor || has(.final) }

  /// The access that generated members of the public interface need, with a space behind it.
  ///
  /// A class without a word of its own has the access of the extension that it is declared in; its members have not.
  var access: String {
    let own = declaration.modifiers.accessKeyword
    switch own ?? lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers.accessKeyword {
    case .public, .open: return "public "
    case .package: return "package "
    default: return ""
    }
  }

  /// The access of generated members that a subclass may override, with a space behind it.
  var overridableAccess: String {
    !isFinal && declaration.modifiers.accessKeyword == .open ? "open " : access
  }

  /// The modifier of generated members of the type, which a subclass may override.
  var typeMember: String { isSubmodel ? "override class" : isFinal ? "static" : "class" }

  /// The modifier of generated members of an instance, which a subclass may override, with a space behind it.
  var member: String { isSubmodel ? "override " : "" }

  var required: String { isFinal && !isSubmodel ? "" : "required " }

  /// What a generated initialiser says of its isolation, with a space behind it: that of an actor is outside of it anyway.
  var nonisolatedInitializer: String { isActor ? "" : "nonisolated " }

  private func has(_ keyword: Keyword) -> Bool {
    declaration.modifiers.contains { $0.name.tokenKind == .keyword(keyword) }
  }

  var hasInitializer: Bool {
    declaration.memberBlock.members.contains { $0.decl.is(InitializerDeclSyntax.self) }
  }

  /// Whether the class can be expanded; if not, no role adds anything, so that the reason is the only error.
  var canExpand: Bool {
    (hasInitializer || isActor) && !properties.contains { $0.isLet && $0.relationship != nil } && canIsolate
  }

  /// The uses of a freestanding macro among the members.
  func expansions(of macro: String) -> [MacroExpansionDeclSyntax] {
    declaration.memberBlock.members.compactMap {
      $0.decl.as(MacroExpansionDeclSyntax.self).flatMap { $0.macroName.text == macro ? $0 : nil }
    }
  }

  /// The position of a property, which its accessors use to mark it as changed.
  func index(of name: String) -> Int? {
    properties.firstIndex { $0.name == name }
  }
}
