#if PostgreSQL
  import CPostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import SQLEngine

  /// The result of one statement, or one row of it. Owns libpq's memory, which is freed when this object is released.
  ///
  /// Only this file uses the pointer. The bytes of a value are passed to a closure (``withBytes(_:_:_:)``) or copied,
  /// so no pointer outlives its result. Not Sendable: used only by the owner of the connection.
  package final class PostgresResult {
    // Read for each row, so exclusivity is not checked. No access runs code that accesses the property again.
    @exclusivity(unchecked) private var pointer: OpaquePointer

    /// Takes ownership of the memory.
    init(_ pointer: OpaquePointer) {
      self.pointer = pointer
    }

    deinit { PQclear(pointer) }

    /// Frees the memory and uses that of another result: rows that arrive one by one need only one object.
    func replace(by other: OpaquePointer) {
      PQclear(pointer)
      pointer = other
    }

    /// The status of the statement to which a result belongs.
    enum Status {
      case done
      case rows
      case oneRow
      case synchronized
      /// The server is ready to receive the data of a `COPY` into a table.
      case copying
      /// The server sends the data of a `COPY` to the client.
      case copyingOut
      /// Skipped because an earlier statement of the pipeline failed.
      case skipped
      case failed
    }

    var status: Status {
      switch PQresultStatus(pointer) {
      case PGRES_TUPLES_OK: .rows
      case PGRES_SINGLE_TUPLE: .oneRow
      case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: .done
      case PGRES_PIPELINE_SYNC: .synchronized
      case PGRES_COPY_IN: .copying
      case PGRES_COPY_OUT: .copyingOut
      case PGRES_PIPELINE_ABORTED: .skipped
      default: .failed
      }
    }

    // MARK: Errors

    /// The server's error for a failed statement.
    func error(sql: String?) -> PostgresError {
      let message = field("M") ?? String(cString: PQresultErrorMessage(pointer))
      return PostgresError(
        sqlState: field("C"), message: message.trimmingCharacters(in: .whitespacesAndNewlines), detail: field("D"),
        hint: field("H"), constraint: field("n"), sql: sql)
    }

    /// A field of an error, by its letter in PostgreSQL's protocol.
    private func field(_ letter: Unicode.Scalar) -> String? {
      PQresultErrorField(pointer, Int32(letter.value)).map { String(cString: $0) }
    }

    // MARK: Rows

    package var rowCount: Int { Int(PQntuples(pointer)) }

    package var columnCount: Int { Int(PQnfields(pointer)) }

    /// The number of rows that the statement inserted, changed, deleted or read.
    package var affectedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    /// Passes the bytes of a value to a closure, which must not keep them. Nil for NULL and for indices out of range.
    package func withBytes<Value>(
      _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value
    ) rethrows -> Value? {
      let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
      guard 0..<PQntuples(pointer) ~= row, 0..<PQnfields(pointer) ~= column, PQgetisnull(pointer, row, column) == 0
      else { return nil }
      let count = Int(PQgetlength(pointer, row, column))
      return try body(UnsafeRawBufferPointer(start: PQgetvalue(pointer, row, column), count: count))
    }

    /// A position before the first row. It is valid until the result is freed or replaced.
    var rows: PostgresRow { PostgresRow(pointer) }

    /// An empty result with the same columns; nil if there is no memory.
    func emptyCopy() -> PostgresResult? { PQcopyResult(pointer, PG_COPYRES_ATTRS).map { PostgresResult($0) } }

    /// Appends the first row of a result with the same columns; returns false if there is no memory.
    func append(rowOf other: PostgresResult) -> Bool {
      let row = PQntuples(pointer)
      for column in 0..<PQnfields(other.pointer) {
        let isNull = PQgetisnull(other.pointer, 0, column) == 1
        let count = isNull ? -1 : PQgetlength(other.pointer, 0, column)
        let value = isNull ? nil : PQgetvalue(other.pointer, 0, column)
        guard PQsetvalue(pointer, row, column, value, count) == 1 else { return false }
      }
      return true
    }

    /// The type of a column; nil for a type that stores do not use.
    func type(of column: Int) -> PostgresType? {
      PostgresType(rawValue: PQftype(pointer, Int32(truncatingIfNeeded: column)))
    }

    /// The types of the columns.
    var columnTypes: [PostgresType?] { (0..<columnCount).map { type(of: $0) } }

    package func isNull(_ row: Int, _ column: Int) -> Bool { withBytes(row, column) { _ in } == nil }

    /// An integer; nil for NULL and for other types.
    package func integer(_ row: Int, _ column: Int) -> Int64? {
      guard case .integer(let number)? = try? value(row, column) else { return nil }
      return number
    }

    /// The elements of an array of `int8` in the first row and column, which contains no NULL. Empty for NULL.
    package var integers: [Int64] {
      // In the binary format, 20 bytes precede the elements, and 4 bytes with the length precede each element.
      withBytes(0, 0) { bytes in
        stride(from: 24, to: bytes.count - 7, by: 12).map {
          Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self))
        }
      } ?? []
    }

    /// A text; nil for NULL and for other types.
    package func text(_ row: Int, _ column: Int) -> String? {
      guard case .text(let text)? = try? value(row, column) else { return nil }
      return text
    }

    /// A value in the form that engines return: a NaN is a text, and an integer above `Int64.max` has 8 bytes.
    ///
    /// - Parameter isUnsigned: Whether the column contains integers that may exceed `Int64.max`. All other values of
    ///   type `numeric` are returned as text.
    /// - Throws: `SwiftDataError.corruptValue` if the bytes are not a value of the column's type.
    package func value(_ row: Int, _ column: Int, isUnsigned: Bool = false) throws -> StoredValue {
      let type = type(of: column)
      let found = withBytes(row, column) { Self.value(of: $0, type, isUnsigned: isUnsigned) }
      guard let found else { return .null }
      guard let value = found else {
        throw SwiftDataError(.corruptValue, "column \(column) of a result has bytes that are no value of its type")
      }
      return value
    }

    private static func value(
      of bytes: UnsafeRawBufferPointer, _ type: PostgresType?, isUnsigned: Bool
    ) -> StoredValue? {
      switch type {
      case .int8: number(bytes, Int64.self).map { .integer($0) }
      case .int4: number(bytes, Int32.self).map { .integer(Int64($0)) }
      case .int2: number(bytes, Int16.self).map { .integer(Int64($0)) }
      case .boolean: number(bytes, UInt8.self).map { .integer(Int64($0)) }
      case .float8: number(bytes, UInt64.self).map { real(Double(bitPattern: $0)) }
      case .float4: number(bytes, UInt32.self).map { real(Double(Float(bitPattern: $0))) }
      case .numeric: PostgresNumeric(bytes: bytes).flatMap { isUnsigned ? integer($0) : .text($0.text) }
      case .bytes: .blob(Data(bytes))
      default: .text(String(decoding: bytes, as: UTF8.self))
      }
    }

    private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
      _ bytes: UnsafeRawBufferPointer, _ type: Number.Type
    ) -> Number? {
      guard bytes.count == MemoryLayout<Number>.size else { return nil }
      return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
    }

    /// The engine passes a NaN as text.
    private static func real(_ number: Double) -> StoredValue {
      number.isNaN ? .text(NotANumber.text(of: number)) : .real(number)
    }

    /// The engine passes an integer above `Int64.max` as 8 bytes.
    private static func integer(_ number: PostgresNumeric) -> StoredValue? {
      guard let word = number.unsigned else { return Int64(number.text).map { .integer($0) } }
      return Int64(exactly: word).map { .integer($0) } ?? .blob(withUnsafeBytes(of: word.bigEndian) { Data($0) })
    }
  }

  /// A position in the rows of a result, or a copied row (``PostgresCopiedRows``). The reader retains the memory, so
  /// that reading needs no reference counting. Reading a value of a result takes two libpq calls.
  package struct PostgresRow {
    /// The location of a value in a copied row; the count is negative for NULL.
    struct CopiedValue {
      var start: UnsafeRawPointer?
      var count = -1
    }

    private let pointer: OpaquePointer?
    private let copied: UnsafePointer<CopiedValue>?
    private var index: Int32 = -1
    let rowCount: Int32
    private let columnCount: Int32

    /// A position without a row.
    init() { (pointer, copied, rowCount, columnCount) = (nil, nil, 0, 0) }

    fileprivate init(_ pointer: OpaquePointer) {
      (self.pointer, copied, rowCount, columnCount) = (pointer, nil, PQntuples(pointer), PQnfields(pointer))
    }

    init(copied: UnsafePointer<CopiedValue>, columnCount: Int) {
      (pointer, self.copied, rowCount, self.columnCount) = (nil, copied, 1, Int32(truncatingIfNeeded: columnCount))
    }

    /// Moves to the next row; returns false after the last one.
    package mutating func advance() -> Bool {
      guard index + 1 < rowCount else { return false }
      index += 1
      return true
    }

    /// The bytes of a value; nil for NULL, or if the column is out of range.
    @inline(__always)
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
      guard column >= 0, column < columnCount, index >= 0 else { return nil }
      if let value = copied?[Int(column)] {
        return value.count < 0 ? nil : UnsafeRawBufferPointer(start: value.start, count: value.count)
      }
      guard let pointer else { return nil }
      let count = PQgetlength(pointer, index, column)
      // The length is 0 for an empty text and for NULL.
      if count <= 0, PQgetisnull(pointer, index, column) == 1 { return nil }
      return UnsafeRawBufferPointer(start: PQgetvalue(pointer, index, column), count: Int(max(0, count)))
    }

    /// The bytes of the last column.
    var lastBytes: UnsafeRawBufferPointer? { bytes(columnCount - 1) }
  }
#endif
