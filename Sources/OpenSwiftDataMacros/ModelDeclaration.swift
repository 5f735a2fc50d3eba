import SwiftSyntax
import SwiftSyntaxMacros

/// A class that carries `@Model`, read once for all roles of the macro.
struct ModelDeclaration {
  let declaration: ClassDeclSyntax
  let properties: [StoredProperty]
  /// Whether the superclass is a model too. Only the compiler knows, and only the roles that conform are told.
  let isSubmodel: Bool
  /// What the class is declared in, from the inside out.
  private let lexicalContext: [Syntax]

  init(_ declaration: ClassDeclSyntax, in lexicalContext: [Syntax] = [], isSubmodel: Bool = false) {
    self.declaration = declaration
    self.lexicalContext = lexicalContext
    self.isSubmodel = isSubmodel
    self.properties = declaration.memberBlock.members.compactMap {
      $0.decl.as(VariableDeclSyntax.self).flatMap(StoredProperty.init)
    }
  }

  var name: String { declaration.name.trimmedDescription }

  var isFinal: Bool { has(.final) }

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

  private func has(_ keyword: Keyword) -> Bool {
    declaration.modifiers.contains { $0.name.tokenKind == .keyword(keyword) }
  }

  var hasInitializer: Bool {
    declaration.memberBlock.members.contains { $0.decl.is(InitializerDeclSyntax.self) }
  }

  /// Whether the class can be expanded; if not, no role adds anything, so that the reason is the only error.
  var canExpand: Bool {
    hasInitializer && !properties.contains { $0.isLet && $0.relationship != nil }
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
