import PersistenceSupport

extension _PersistenceRuntime {
  /// The functions with which an engine hands over the columns of its current row.
  ///
  /// They are plain C functions so that the loops that a model's macro generates call the engine's own column accessors
  /// with no Swift call, existential or generic in between: SQLite's are used as they are. An engine keeps one table
  /// of them for its life.
  @frozen
  public struct ColumnReadFunctions: Sendable {
    /// A position in a result: a statement, or what the engine has in its place.
    public typealias Row = OpaquePointer?

    /// Moves to the next row and returns ``rowCode``, ``doneCode`` or the engine's code of an error.
    public let step: @convention(c) @Sendable (Row) -> Int32
    public let rowCode: Int32
    public let doneCode: Int32
    /// The raw value of the ``StorageClass`` of a column.
    public let storageClass: @convention(c) @Sendable (Row, Int32) -> Int32
    public let integer: @convention(c) @Sendable (Row, Int32) -> Int64
    public let real: @convention(c) @Sendable (Row, Int32) -> Double
    /// The UTF-8 bytes of a column, valid until the next step; null when the value is NULL.
    public let text: @convention(c) @Sendable (Row, Int32) -> UnsafePointer<UInt8>?
    /// The bytes of a column, valid until the next step; null when the value is NULL or empty.
    public let blob: @convention(c) @Sendable (Row, Int32) -> UnsafeRawPointer?
    /// The number of bytes of the text or blob that was just asked for.
    public let count: @convention(c) @Sendable (Row, Int32) -> Int32

    public init(
      step: @escaping @convention(c) @Sendable (Row) -> Int32,
      rowCode: Int32,
      doneCode: Int32,
      storageClass: @escaping @convention(c) @Sendable (Row, Int32) -> Int32,
      integer: @escaping @convention(c) @Sendable (Row, Int32) -> Int64,
      real: @escaping @convention(c) @Sendable (Row, Int32) -> Double,
      text: @escaping @convention(c) @Sendable (Row, Int32) -> UnsafePointer<UInt8>?,
      blob: @escaping @convention(c) @Sendable (Row, Int32) -> UnsafeRawPointer?,
      count: @escaping @convention(c) @Sendable (Row, Int32) -> Int32
    ) {
      self.step = step
      self.rowCode = rowCode
      self.doneCode = doneCode
      self.storageClass = storageClass
      self.integer = integer
      self.real = real
      self.text = text
      self.blob = blob
      self.count = count
    }
  }
}
