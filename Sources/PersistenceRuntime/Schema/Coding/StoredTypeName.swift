import Foundation
import PersistenceSupport

/// The name of an attribute's type in an encoded schema.
///
/// The name does not contain the module, because the module of a type depends on the platform. It does not contain
/// enclosing types either, because each schema version declares its own types with the same meaning.
package struct StoredTypeName: Codable, Hashable {
  /// The name of the type without `Optional`.
  package let name: String
  /// The name of the raw value's type, if values of the type are stored as raw values; otherwise nil.
  package let rawName: String?

  /// Names a type that is not optional.
  init(_ type: any Any.Type) {
    self.name = _typeName(type, qualified: false)
    self.rawName = RawStorage.type(of: type).map { Self.rawName(of: $0) }
  }

  private static func rawName<T: RawRepresentable>(of _: T.Type) -> String { String(describing: T.RawValue.self) }

  /// The type with this name; ``Schema/UnknownValue`` if this program does not know the type.
  var knownType: any Any.Type { KnownTypes.type(named: name) ?? Schema.UnknownValue.self }

  package var summary: String {
    rawName.map { "\(name) (stored as \($0))" } ?? name
  }
}

extension Schema {
  /// Replaces a type in a decoded schema if this program does not know a type of that name.
  ///
  /// No value of this type can be created.
  public struct UnknownValue: Codable, Hashable, Sendable {
    private init() {}

    /// Always throws, because no value of this type can be created.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `SwiftDataError.valueNotStorable`.
    public init(from decoder: any Decoder) throws {
      throw SwiftDataError(.valueNotStorable, "A value whose type this program does not know cannot be read.")
    }
  }
}
