import CSQLite
import CSQLiteShim
import PersistenceSupport

/// One call of an SQL function: reads the arguments and sets the result. Only valid during the call.
struct FunctionCall {
  private let context: OpaquePointer?
  private let arguments: UnsafeMutablePointer<OpaquePointer?>?
  /// `SQLITE_TRANSIENT`: SQLite copies the result during the call.
  private static let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init(_ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
    self.context = context
    self.arguments = arguments
  }

  func integer(_ index: Int) -> Int64 { sqlite3_value_int64(arguments?[index]) }

  func isBlob(_ index: Int) -> Bool { sqlite3_value_type(arguments?[index]) == SQLITE_BLOB }

  /// Passes the bytes of a text or a blob to a closure; the closure does not run for NULL.
  func withBytes(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    let value = arguments?[index]
    guard sqlite3_value_type(value) != SQLITE_NULL, let bytes = sqlite3_value_text(value) else { return }
    body(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))))
  }

  /// The text of an argument; nil for NULL.
  func text(_ index: Int) -> String? {
    var text: String?
    withBytes(index) { text = String(decoding: $0, as: UTF8.self) }
    return text
  }

  /// The text of an argument in stored form, after the escapes for U+0000 and U+0001 are replaced; nil for NULL.
  func original(_ index: Int) -> String? { text(index).map(StoredText.original) }

  /// An object that is created from an argument. For a constant argument, the object is created once per statement.
  func object<Object: AnyObject>(for index: Int32, make: () -> Object?) -> Object? {
    if let pointer = sqlite3_get_auxdata(context, index) {
      return Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
    }
    guard let object = make() else { return nil }
    sqlite3_set_auxdata(context, index, Unmanaged.passRetained(object).toOpaque()) { pointer in
      guard let pointer else { return }
      Unmanaged<AnyObject>.fromOpaque(pointer).release()
    }
    return object
  }

  func setResult(_ number: Int64) { sqlite3_result_int64(context, number) }

  func setResult(_ number: Double) { sqlite3_result_double(context, number) }

  /// Sets an argument as the result, unchanged.
  func setResult(ofArgument index: Int) { sqlite3_result_value(context, arguments?[index]) }

  func setResult(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        sqlite3_result_text64(
          context, characters.baseAddress, sqlite3_uint64(bytes.count), Self.copies, UInt8(SQLITE_UTF8))
      }
    }
  }

  func setResult(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
    bytes.withUnsafeBytes { buffer in
      sqlite3_result_blob64(context, buffer.baseAddress, sqlite3_uint64(buffer.count), Self.copies)
    }
  }

  func fail(_ message: String) { sqlite3_result_error(context, message, -1) }
}
