import PersistenceSupport

extension _PersistenceRuntime {
  /// The functions by which an engine binds the values of one row and runs the statement that stores them.
  ///
  /// The counterpart of ``ColumnReadFunctions``. Parameters count from 1. Every function returns 0 or an error code of
  /// the engine. Text and bytes stay valid until `step` returns, so an engine need not copy them.
  @frozen
  public struct ColumnWriteFunctions: Sendable {
    /// A statement, or the engine's equivalent.
    public typealias Statement = OpaquePointer?

    public let null: @convention(c) @Sendable (Statement, Int32) -> Int32
    public let integer: @convention(c) @Sendable (Statement, Int32, Int64) -> Int32
    public let real: @convention(c) @Sendable (Statement, Int32, Double) -> Int32
    public let text: @convention(c) @Sendable (Statement, Int32, UnsafePointer<UInt8>?, Int) -> Int32
    public let blob: @convention(c) @Sendable (Statement, Int32, UnsafeRawPointer?, Int) -> Int32
    /// Runs the statement with the bound values and resets it for the next row.
    public let step: @convention(c) @Sendable (Statement) -> Int32

    public init(
      null: @escaping @convention(c) @Sendable (Statement, Int32) -> Int32,
      integer: @escaping @convention(c) @Sendable (Statement, Int32, Int64) -> Int32,
      real: @escaping @convention(c) @Sendable (Statement, Int32, Double) -> Int32,
      text: @escaping @convention(c) @Sendable (Statement, Int32, UnsafePointer<UInt8>?, Int) -> Int32,
      blob: @escaping @convention(c) @Sendable (Statement, Int32, UnsafeRawPointer?, Int) -> Int32,
      step: @escaping @convention(c) @Sendable (Statement) -> Int32
    ) {
      self.null = null
      self.integer = integer
      self.real = real
      self.text = text
      self.blob = blob
      self.step = step
    }
  }
}
