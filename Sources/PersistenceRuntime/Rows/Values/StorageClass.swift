import PersistenceSupport

extension _PersistenceRuntime {
  /// The kinds of value that a column of a store holds.
  ///
  /// The raw values are the codes that ``ColumnReadFunctions/storageClass`` returns for a stored value.
  public enum StorageClass: Int32, Sendable, Hashable, Codable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
  }
}

extension _PersistenceRuntime {
  /// How the values of one column are written, and so how an engine declares and compares it.
  public enum ColumnFormat: String, Sendable, Hashable, Codable {
    /// A whole number of 64 bits; what `UInt64` has above `Int64.max` is a blob of 8 bytes, big-endian.
    case integer
    /// A floating-point number of 64 bits that keeps the sign of zero; not-a-number is text.
    case real
    /// Unicode text, compared by its scalars.
    case text
    /// A decimal number as text, compared by its value.
    case decimal
    /// Bytes.
    case blob
    /// JSON text of a Codable value.
    case json
    /// The primary key of a row of another entity.
    case reference
  }
}
