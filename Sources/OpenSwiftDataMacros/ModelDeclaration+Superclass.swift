import SwiftSyntax

/// Protocols that often come first in an inheritance clause, where a superclass would be.
private let knownProtocols: Set<String> = [
  "AnyObject", "Codable", "Comparable", "CustomDebugStringConvertible", "CustomStringConvertible", "Decodable",
  "Encodable", "Equatable", "Hashable", "Identifiable", "Observable", "ObservableObject", "PersistentModel", "Sendable",
]

extension ModelDeclaration {
  /// Whether the class may have a superclass, as far as its source tells: a superclass comes first in the inheritance
  /// clause, and looks as a protocol does.
  ///
  /// All roles have to agree on how properties are numbered, and only some of them hear from the compiler what the type
  /// is. So a class that may have a superclass counts its properties from ``firstPosition``, any other from 0.
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
    // `~Copyable` and `@unchecked Sendable` are no classes.
    return false
  }

  /// The name of the constant that says how many properties a class inherits.
  static let firstPosition = "_$first"

  /// The position of a property in a generated method that has asked for the first one.
  func localPosition(_ index: Int) -> String {
    isSubmodel ? "first + \(index)" : "\(index)"
  }
}
