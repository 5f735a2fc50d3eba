import PersistenceSupport

extension _PersistenceRuntime {
  /// The storage classes of column values.
  ///
  /// The raw values are the codes of ``ColumnReadFunctions/storageClass``.
  public enum StorageClass: Int32, Sendable, Hashable, Codable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
  }

  /// The representation of values in a column, by which an engine declares and compares it.
  public enum ColumnFormat: String, Sendable, Hashable, Codable {
    /// A 64-bit integer; `UInt64` values above `Int64.max` are blobs of 8 big-endian bytes.
    case integer
    /// A 64-bit floating-point number; NaN is text.
    case real
    /// Unicode text in the form of ``StoredText``, whose bytes are equal and ordered as texts are.
    case text
    /// The text of a URL, stored and compared byte for byte.
    case url
    /// The canonical digits of a decimal number as text: equal by bytes, ordered by value.
    case decimal
    /// Bytes.
    case blob
    /// JSON text of a Codable value, stored byte for byte.
    case json
    /// The primary key of a row of another entity.
    case reference
  }
}
