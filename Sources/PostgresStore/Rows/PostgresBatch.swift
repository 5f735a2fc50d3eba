#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// Rows to write, as one array for each column, so that one statement can write many rows.
  ///
  /// When the caller executes the statement for a row, the row is only added; the server writes rows when they are
  /// sent. Of many rows, some are sent while the caller writes others (``PostgresRowSender``). If a value cannot be
  /// stored in its column, sending throws (``failure``).
  ///
  /// Unsafe: the runtime gets an opaque pointer to the batch where SQLite's engine passes a prepared statement. The
  /// pointer is valid only during the call that passes it, which retains the batch. Only the owner of the transaction
  /// uses the batch.
  package final class PostgresBatch {
    struct Column {
      let type: SQLParameterType
      let element: PostgresType
      var bytes: [UInt8] = []
      /// The offset of the current row's value in the bytes.
      var start = 0
      var hasNulls = false
      var isBound = false

      /// Begins the value of the current row. If the value was already bound, removes it.
      @inline(__always)
      mutating func begin() {
        if bytes.count > start { bytes.removeSubrange(start...) }
        isBound = true
      }

      @inline(__always)
      mutating func set(_ number: UInt64) {
        begin()
        bytes.append(counted: number)
      }

      @inline(__always)
      mutating func set(_ value: UnsafeRawBufferPointer) {
        begin()
        bytes.append(bigEndian: UInt32(truncatingIfNeeded: value.count))
        bytes.append(contentsOf: value)
      }
    }

    // Exclusivity is not checked: only the transaction's owner accesses this, and never from within another access.
    @exclusivity(unchecked) private(set) var columns: [Column]
    /// Encrypts values; nil if nothing is encrypted.
    private let cipher: (any ValueCipher)?
    @exclusivity(unchecked) package private(set) var rowCount = 0
    /// The number of rows that were sent, and removed from the batch.
    private(set) var sentCount = 0
    /// The number of rows at which ``look`` is called next.
    @exclusivity(unchecked) var nextLook = Int.max
    /// Called to send the rows that are complete so far. If it throws, the caller can write no more rows.
    var look: (() throws -> Void)?
    /// Whether the last column contains the originals (``OriginalNotes``) of the rows.
    @exclusivity(unchecked) private var hasOriginals = false
    /// The error of the first value that cannot be stored in its column.
    package private(set) var failure: SwiftDataError?

    /// The result code for a parameter that the statement does not have, or a value that cannot be stored.
    private static let misuseCode: Int32 = 1

    /// - Parameters:
    ///   - types: The types of the parameters of one row, each a single value.
    ///   - cipher: Encrypts values; nil if nothing is encrypted.
    package init(_ types: [SQLParameterType], cipher: (any ValueCipher)? = nil) {
      self.cipher = cipher
      columns = types.map { Column(type: $0, element: PostgresType($0)) }
    }

    /// The statement by which the runtime writes rows. The caller must retain this object while the statement is used.
    package var statement: EngineStatement { statement(originals: nil) { _ in nil } }

    /// The result code of a row that was rejected, because another row has the same unique values.
    static func conflictCode(ofRow index: Int) -> Int32 { Int32(truncatingIfNeeded: index) + firstConflictCode }

    private static let firstConflictCode: Int32 = 16

    /// The statement by which the runtime writes rows. The caller must retain this object while the statement is used.
    ///
    /// - Parameters:
    ///   - originals: Collects the values that differ from their stored form.
    ///   - conflict: Returns the error of a rejected row; nil if it is unknown.
    func statement(
      originals: OriginalNotes?, conflict: @escaping (_ row: Int) -> SwiftDataError?
    ) -> EngineStatement {
      EngineStatement(
        statement: OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), functions: Self.functions,
        isConflict: { $0 >= Self.firstConflictCode }, cipher: cipher, originals: originals,
        // Retains the batch: the runtime asks for the errors of rejected rows after all rows have been sent.
        error: { [self] code in
          if code == EngineStatement.missingRowCode {
            return SwiftDataError(.modelNotFound, "The row of a model is not in the store any more.")
          }
          return (code >= Self.firstConflictCode ? conflict(Int(code - Self.firstConflictCode)) : failure)
            ?? SwiftDataError(.storeFailure, "A row was written to a statement that does not have its columns.")
        })
    }

    /// Appends a column with the originals of the current rows, with NULL for a row without an original.
    ///
    /// - Parameters:
    ///   - notes: The originals.
    ///   - column: Returns the column to which a parameter belongs.
    func append(_ notes: [OriginalNotes.Note], column: (Int) -> ColumnMapping?) throws {
      var rows: [Int: [String: String]] = [:]
      // If a value was bound several times, its last original is used.
      for note in notes {
        guard let column = column(Int(note.parameter)) else { continue }
        rows[rowCount == 1 ? 0 : note.row - sentCount, default: [:]][column.name] = note.original
      }
      var own = Column(type: .value(.json), element: .json)
      own.hasNulls = rows.count < rowCount
      for row in 0..<rowCount {
        guard let originals = rows[row] else {
          own.bytes.append(bigEndian: UInt32.max)
          continue
        }
        let text = try PostgresOriginals.json(originals).utf8
        own.bytes.append(bigEndian: UInt32(truncatingIfNeeded: text.count))
        own.bytes.append(contentsOf: text)
      }
      own.start = own.bytes.count
      columns.append(own)
      hasOriginals = true
    }

    /// The parameters of a statement that writes all rows: one array for each column.
    package func parameters() throws -> PostgresParameters {
      if let failure { throw failure }
      var result = PostgresParameters()
      for column in columns {
        result.append(
          arrayOf: column.type, column.element, elements: column.bytes[..<column.start], count: rowCount,
          hasNulls: column.hasNulls)
      }
      return result
    }

    /// The values of a column of 64-bit integers, in all rows.
    func integers(ofColumn index: Int) -> [Int64] {
      columns[index].bytes.withUnsafeBytes { bytes in
        var result: [Int64] = []
        result.reserveCapacity(rowCount)
        var place = 0
        for _ in 0..<rowCount {
          let count = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
          place += 4
          guard count == 8 else {
            result.append(0)
            place += count == .max ? 0 : Int(count)
            continue
          }
          result.append(Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int64.self)))
          place += 8
        }
        return result
      }
    }

    /// The parameters of each row, for a statement whose parameters are arrays: arrays with one element.
    func singleRows() throws -> [PostgresParameters] {
      try rows { column, element, row in
        var bytes: [UInt8] = []
        bytes.append(bigEndian: element.map { UInt32(truncatingIfNeeded: $0.count) } ?? UInt32.max)
        bytes += element ?? []
        row.append(arrayOf: column.type, column.element, elements: bytes[...], count: 1, hasNulls: element == nil)
      }
    }

    /// The parameters of each row, for a statement whose parameters are plain values.
    func plainRows() throws -> [PostgresParameters] {
      guard rowCount > 1 else { return [try onlyRow()] }
      return try rows { $2.append(bytes: $1, as: $0.element) }
    }

    private func rows(
      _ append: (Column, ArraySlice<UInt8>?, inout PostgresParameters) -> Void
    ) throws -> [PostgresParameters] {
      if let failure { throw failure }
      var result = [PostgresParameters](repeating: PostgresParameters(capacity: columns.count), count: rowCount)
      for column in columns {
        for (index, element) in elements(of: column).enumerated() { append(column, element, &result[index]) }
      }
      return result
    }

    /// The parameters of the only row, as plain values.
    func onlyRow() throws -> PostgresParameters {
      if let failure { throw failure }
      var result = PostgresParameters(capacity: columns.count)
      for index in columns.indices {
        let end = columns[index].start
        // Neither NULL nor an empty value has bytes, but they have different sizes in the column.
        let isNull = columns[index].hasNulls
        result.append(bytes: isNull ? nil : columns[index].bytes[4..<end], as: columns[index].element)
      }
      return result
    }

    /// The bytes of a column's values; nil for NULL.
    private func elements(of column: Column) -> [ArraySlice<UInt8>?] {
      var result: [ArraySlice<UInt8>?] = []
      var place = 0
      for _ in 0..<rowCount {
        let count = column.bytes[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        place += 4
        guard count != .max else {
          result.append(nil)
          continue
        }
        result.append(column.bytes[place..<place + Int(count)])
        place += Int(count)
      }
      return result
    }

    /// Removes all rows.
    package func removeAll() {
      if hasOriginals { columns.removeLast() }
      hasOriginals = false
      for index in columns.indices {
        columns[index].bytes.removeAll(keepingCapacity: true)
        (columns[index].start, columns[index].hasNulls, columns[index].isBound) = (0, false, false)
      }
      (rowCount, failure) = (0, nil)
    }

    /// Removes the rows, which were sent. More rows may be written afterwards.
    func didSend() {
      sentCount += rowCount
      removeAll()
    }

    // MARK: Writing

    /// Binds a value whose type differs from that of the column. A parameter may be bound again before its row ends.
    private func bind(_ parameter: Int32, _ write: (inout [UInt8], PostgresType) throws -> Void) -> Int32 {
      let index = Int(parameter) - 1
      guard columns.indices.contains(index) else { return Self.misuseCode }
      let start = columns[index].start
      columns[index].bytes.removeSubrange(start...)
      columns[index].bytes.append(bigEndian: UInt32(0))
      do {
        try write(&columns[index].bytes, columns[index].element)
      } catch {
        failure = failure ?? error as? SwiftDataError
        return Self.misuseCode
      }
      let count = UInt32(truncatingIfNeeded: columns[index].bytes.count - start - 4)
      columns[index].bytes.replace(bigEndian: count, at: start)
      columns[index].isBound = true
      return 0
    }

    private func bindNull(_ parameter: Int32) -> Int32 {
      let index = Int(parameter) - 1
      guard columns.indices.contains(index) else { return Self.misuseCode }
      columns[index].bytes.removeSubrange(columns[index].start...)
      columns[index].isBound = false
      return 0
    }

    private func bind(_ parameter: Int32, _ number: Int64) -> Int32 {
      let index = Int(parameter) - 1
      guard columns.indices.contains(index), columns[index].element == .int8 else {
        return bind(parameter) { try PostgresParameters.write(.integer(number), as: $1, to: &$0) }
      }
      columns[index].set(UInt64(bitPattern: number))
      return 0
    }

    private func bind(_ parameter: Int32, _ number: Double) -> Int32 {
      let index = Int(parameter) - 1
      guard columns.indices.contains(index), columns[index].element == .float8 else {
        return bind(parameter) { try PostgresParameters.write(.real(number), as: $1, to: &$0) }
      }
      columns[index].set(number.bitPattern)
      return 0
    }

    private func bind(text parameter: Int32, _ text: UnsafeBufferPointer<UInt8>) -> Int32 {
      let index = Int(parameter) - 1
      guard columns.indices.contains(index), columns[index].element == .text || columns[index].element == .json,
        text.baseAddress.map({ memchr($0, 0, text.count) == nil }) ?? true
      else {
        let value = StoredValue.text(String(decoding: text, as: UTF8.self))
        return bind(parameter) { try PostgresParameters.write(value, as: $1, to: &$0) }
      }
      columns[index].set(UnsafeRawBufferPointer(text))
      return 0
    }

    private func bind(blob parameter: Int32, _ blob: UnsafeRawBufferPointer) -> Int32 {
      let index = Int(parameter) - 1
      guard columns.indices.contains(index), columns[index].element == .bytes else {
        return bind(parameter) { try PostgresParameters.write(.blob(Data(blob)), as: $1, to: &$0) }
      }
      columns[index].set(blob)
      return 0
    }

    private func endRow() -> Int32 {
      for index in 0..<columns.count {
        if !columns[index].isBound {
          columns[index].bytes.append(bigEndian: UInt32.max)
          columns[index].hasNulls = true
        }
        columns[index].isBound = false
        columns[index].start = columns[index].bytes.count
      }
      rowCount += 1
      return rowCount < nextLook ? 0 : lookAtRows()
    }

    private func lookAtRows() -> Int32 {
      do {
        try look?()
        return 0
      } catch {
        failure = failure ?? error as? SwiftDataError
        return Self.misuseCode
      }
    }

    // MARK: Functions

    private static func at(_ statement: OpaquePointer?, _ body: (PostgresBatch) -> Int32) -> Int32 {
      statement.map { Unmanaged<PostgresBatch>.fromOpaque(UnsafeRawPointer($0))._withUnsafeGuaranteedRef(body) }
        ?? misuseCode
    }

    /// Never changed or freed after its creation, so every thread may read it.
    nonisolated(unsafe) private static let functions: UnsafePointer<ColumnWriteFunctions> = {
      let functions = UnsafeMutablePointer<ColumnWriteFunctions>.allocate(capacity: 1)
      functions.initialize(
        to: ColumnWriteFunctions(
          null: { statement, parameter in PostgresBatch.at(statement) { $0.bindNull(parameter) } },
          integer: { statement, parameter, number in PostgresBatch.at(statement) { $0.bind(parameter, number) } },
          real: { statement, parameter, number in PostgresBatch.at(statement) { $0.bind(parameter, number) } },
          text: { statement, parameter, start, count in
            PostgresBatch.at(statement) {
              $0.bind(text: parameter, UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
            }
          },
          blob: { statement, parameter, start, count in
            PostgresBatch.at(statement) {
              $0.bind(blob: parameter, UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
            }
          },
          step: { PostgresBatch.at($0) { $0.endRow() } }))
      return UnsafePointer(functions)
    }()
  }
#endif
