import CSQLiteBenchmark

/// Binds and reads texts.
enum RawText {
  @inline(__always)
  static func bind(_ text: UnsafeBufferPointer<UInt8>, _ handle: OpaquePointer, _ index: Int32) {
    let bytes = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
    sqlite3_bind_text(handle, index, bytes, Int32(text.count), nil)
  }

  @inline(__always)
  static func read(_ row: OpaquePointer, _ column: Int32) -> String? {
    guard let bytes = sqlite3_column_text(row, column) else { return nil }
    let count = Int(sqlite3_column_bytes(row, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
