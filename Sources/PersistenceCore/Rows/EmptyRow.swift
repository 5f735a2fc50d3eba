/// A row without columns, from which an object is made whose slots all wait for the real row.
struct EmptyRow {
  let session: ReadSession

  var reader: RowReader {
    RowReader(
      EngineRows(row: Self.place, functions: Self.functions, error: { _ in .storeFailure }), session: session, mask: 0)
  }

  // Both are made once and never written to again.

  /// Never looked at: the functions below ignore it.
  nonisolated(unsafe) private static let place = OpaquePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

  /// Every column is NULL, and there is no row to step to.
  nonisolated(unsafe) private static let functions: UnsafePointer<ColumnReadFunctions> = {
    let functions = UnsafeMutablePointer<ColumnReadFunctions>.allocate(capacity: 1)
    functions.initialize(
      to: ColumnReadFunctions(
        step: { _ in 0 }, rowCode: 1, doneCode: 0, storageClass: { _, _ in StorageClass.null.rawValue },
        integer: { _, _ in 0 }, real: { _, _ in 0 }, text: { _, _ in nil }, blob: { _, _ in nil }, count: { _, _ in 0 })
    )
    return UnsafePointer(functions)
  }()
}
