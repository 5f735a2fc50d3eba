import SwiftSyntax

/// Protocols that often come first in an inheritance clause, in the position of a superclass.
private let knownProtocols: Set<String> = [
  "AnyObject", "Codable", "Comparable", "CustomDebugStringConvertible", "CustomStringConvertible", "Decodable",
  "Encodable", "Equatable", "Hashable", "Identifiable", "Observable", "ObservableObject", "PersistentModel", "Sendable",
]

extension ModelDeclaration {
  /// Whether the class may have a superclass, which would come first in the inheritance clause and looks like a
  /// protocol.
  ///
  /// All macro roles must number properties alike, and the compiler gives only some of them the conformances. So a
  /// class that may have a superclass numbers its properties from ``firstPosition``, others from 0.
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
