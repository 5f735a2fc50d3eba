import PersistenceSupport

extension _PersistenceRuntime {
  /// The functions by which an engine provides the columns of its current row.
  ///
  /// They are plain C functions: generated loops call the engine's column accessors without a Swift call, existential
  /// or generic in between. SQLite's are used directly. An engine keeps one table of them for its life (decision 3).
  @frozen
  public struct ColumnReadFunctions: Sendable {
    /// A cursor of a result: a statement, or the engine's equivalent.
    public typealias Row = OpaquePointer?

    /// Moves to the next row. Returns ``rowCode``, ``doneCode`` or an error code of the engine.
    public let step: @convention(c) @Sendable (Row) -> Int32
    public let rowCode: Int32
    public let doneCode: Int32
    /// The raw value of the ``StorageClass`` of a column's value.
    public let storageClass: @convention(c) @Sendable (Row, Int32) -> Int32
    public let integer: @convention(c) @Sendable (Row, Int32) -> Int64
    public let real: @convention(c) @Sendable (Row, Int32) -> Double
    /// The UTF-8 bytes of a column, valid until the next step; null for NULL.
    public let text: @convention(c) @Sendable (Row, Int32) -> UnsafePointer<UInt8>?
    /// The bytes of a column, valid until the next step; null for NULL or no bytes.
    public let blob: @convention(c) @Sendable (Row, Int32) -> UnsafeRawPointer?
    /// The number of bytes of the text or blob that was read last.
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
