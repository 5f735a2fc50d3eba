import Foundation
import PersistenceSupport

/// The encoded name of a value's type.
///
/// Names contain no module, since a type's module depends on the platform, and no enclosing types, since each version
/// of a schema has its own types with the same meaning.
package struct StoredTypeName: Codable, Hashable {
  /// The name of the type without `Optional`.
  package let name: String
  /// The name of the raw value's type, if the raw value is stored.
  package let rawName: String?

  /// Names a type that is not optional.
  init(_ type: any Any.Type) {
    self.name = String(describing: type)
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
  /// A placeholder for a type that a decoded schema names and this program does not know.
  ///
  /// There are no values of it.
  public struct UnknownValue: Codable, Hashable, Sendable {
    private init() {}

    /// Always throws, because there are no values.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `SwiftDataError.valueNotStorable`.
    public init(from decoder: any Decoder) throws {
      throw SwiftDataError(.valueNotStorable, "A value whose type this program does not know cannot be read.")
    }
  }
}
