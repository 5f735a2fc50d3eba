import SwiftSyntax
import SwiftSyntaxMacros

/// A declaration with `@Model`, parsed once for all roles of the macro.
struct ModelDeclaration {
  let declaration: any DeclGroupSyntax
  let nameToken: TokenSyntax
  /// The isolation of the properties.
  let isolation: ModelIsolation
  let properties: [StoredProperty]
  /// Whether the superclass is a model. Only the compiler knows this, and only roles that add conformances learn it.
  let isSubmodel: Bool
  /// The enclosing declarations, innermost first.
  private let lexicalContext: [Syntax]

  /// Returns nil for a declaration that cannot be a model.
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

  /// Whether the class or an enclosing declaration has generic parameters. An extension declares none.
  var isGeneric: Bool {
    ([Syntax(declaration)] + lexicalContext).contains {
      $0.asProtocol(WithGenericParametersSyntax.self)?.genericParameterClause != nil
    }
  }

  /// Whether the class is in an extension. The extended type may be generic without visible parameters.
  var isInExtension: Bool { lexicalContext.contains { $0.is(ExtensionDeclSyntax.self) } }

  var isFinal: Bool { isActor || has(.final) }

  /// The access modifier of public generated members, with a trailing space.
  var access: String { declaration.memberAccess(in: lexicalContext) }

  /// The access modifier of overridable generated members, with a trailing space.
  var overridableAccess: String {
    !isFinal && declaration.modifiers.accessKeyword == .open ? "open " : access
  }

  /// The modifier of overridable generated type members.
  var typeMember: String { isSubmodel ? "override class" : isFinal ? "static" : "class" }

  /// The modifier of overridable generated instance members, with a trailing space.
  var member: String { isSubmodel ? "override " : "" }

  var required: String { isFinal && !isSubmodel ? "" : "required " }

  /// The isolation modifier of a generated initialiser, with a trailing space. Actors' initialisers need no modifier.
  var nonisolatedInitializer: String { isActor ? "" : "nonisolated " }

  private func has(_ keyword: Keyword) -> Bool {
    declaration.modifiers.contains { $0.name.tokenKind == .keyword(keyword) }
  }

  /// Whether an initialiser is declared in every build configuration.
  var hasInitializer: Bool {
    declaration.memberBlock.members.contains { $0.decl.is(InitializerDeclSyntax.self) }
  }

  /// Whether an initialiser is declared, possibly in `#if`.
  var mayHaveInitializer: Bool { !declaration.memberBlock.members.initializers.isEmpty }

  /// Whether the class can be expanded. If not, no role generates code, so that the diagnostic remains the only error.
  var canExpand: Bool {
    (mayHaveInitializer || isActor) && !properties.contains { $0.isLet && $0.relationship != nil } && canIsolate
  }

  /// The uses of a freestanding macro among the members.
  func expansions(of macro: String) -> [MacroExpansionDeclSyntax] {
    declaration.memberBlock.members.compactMap {
      $0.decl.as(MacroExpansionDeclSyntax.self).flatMap { $0.macroName.text == macro ? $0 : nil }
    }
  }

  /// The index of a property. Accessors use it to mark the property as changed.
  func index(of name: String) -> Int? {
    properties.firstIndex { $0.name == name }
  }
}

/// Protocols that often come first in an inheritance clause, in the position of a superclass.
private let knownProtocols: Set<String> = [
  "AnyObject", "Codable", "Comparable", "CustomDebugStringConvertible", "CustomStringConvertible", "Decodable",
  "Encodable", "Equatable", "Hashable", "Identifiable", "Observable", "ObservableObject", "PersistentModel", "Sendable",
]

extension ModelDeclaration {
  /// Whether the class may have a superclass. A superclass comes first in the inheritance clause and looks the same as
  /// a protocol.
  ///
  /// All macro roles must number properties identically, but only some roles know the conformances. So a class that may
  /// have a superclass numbers its properties from ``firstPosition``. Other classes number them from 0.
  var mayHaveSuperclass: Bool {
    guard !isActor else { return false }
    return declaration.inheritanceClause?.inheritedTypes.first.map { Self.mayBeClass($0.type) } ?? false
  }

  private static func mayBeClass(_ type: TypeSyntax) -> Bool {
    if let identifier = type.as(IdentifierTypeSyntax.self) { return !knownProtocols.contains(identifier.name.text) }
    if let member = type.as(MemberTypeSyntax.self) { return !knownProtocols.contains(member.name.text) }
    if let composition = type.as(CompositionTypeSyntax.self) {
      return composition.elements.contains { mayBeClass($0.type) }
    }
    // `~Copyable` and `@unchecked Sendable` are not classes.
    return false
  }

  /// The name of the constant with the number of inherited properties.
  static let firstPosition = "_$first"

  /// The position of a property in a generated method with a local `first`.
  func localPosition(_ index: Int) -> String {
    isSubmodel ? "first + \(index)" : "\(index)"
  }
}
