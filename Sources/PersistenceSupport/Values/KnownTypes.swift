import Foundation

/// The value types of Swift and Foundation that models may store. Finds types by the names that encoded schemas have.
package enum KnownTypes {
  private static var basic: [any Any.Type] {
    [
      Bool.self, String.self, Date.self, Data.self, UUID.self, URL.self, Decimal.self, Double.self, Float.self,
      CGFloat.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self,
      UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self,
    ]
  }

  private static let basicIdentifiers = Set(basic.map { ObjectIdentifier($0) })

  /// Whether a type is one of Swift's or Foundation's own, and no collection or optional.
  package static func isBasic(_ type: any Any.Type) -> Bool { basicIdentifiers.contains(ObjectIdentifier(type)) }

  /// The type with a name; nil if the name is unknown, or if its generic arguments are nested too deeply.
  package static func type(named name: String) -> (any Any.Type)? { type(named: name, depth: 0) }

  private static func type(named name: String, depth: Int) -> (any Any.Type)? {
    if let type = basic.first(where: { _typeName($0, qualified: false) == name }) { return type }
    guard depth < 16, name.hasSuffix(">"), let bracket = name.firstIndex(of: "<") else { return nil }
    let names = split(name[name.index(after: bracket)...].dropLast())
    let arguments = names.compactMap { type(named: $0, depth: depth + 1) }
    switch (name[..<bracket], arguments.count) {
    case ("Array", 1): return array(of: arguments[0])
    case ("Optional", 1): return optional(arguments[0])
    case ("Set", 1): return (arguments[0] as? any Hashable.Type).map { set(of: $0) }
    case ("Dictionary", 2): return (arguments[0] as? any Hashable.Type).map { dictionary(from: $0, to: arguments[1]) }
    default: return nil
    }
  }

  private static func array<T>(of _: T.Type) -> any Any.Type { [T].self }
  package static func optional<T>(_: T.Type) -> any Any.Type { T?.self }
  private static func set<T: Hashable>(of _: T.Type) -> any Any.Type { Set<T>.self }
  private static func dictionary<Key: Hashable, Value>(from _: Key.Type, to _: Value.Type) -> any Any.Type {
    [Key: Value].self
  }

  /// Splits a list of generic arguments at its commas, except those within nested angle brackets.
  private static func split(_ arguments: Substring) -> [String] {
    var parts = [""]
    var depth = 0
    for character in arguments {
      if character == "<" { depth += 1 }
      if character == ">" { depth -= 1 }
      if character == ",", depth == 0 {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts.map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
