#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// Rows to write, as one array per column: one statement writes many rows.
  ///
  /// A step only ends a row: the server's result follows when the rows are sent. Many rows are sent while others are
  /// written (``PostgresRowSender``). Sending throws the error of a value that no column can hold (``failure``).
  ///
  /// Unsafe: statements pass the engine interface as opaque pointers, which here point to a batch. They do not escape
  /// the call that lends and retains it. Confined to the owner of the transaction.
  package final class PostgresBatch {
    struct Column {
      let type: SQLParameterType
      let element: PostgresType
      var bytes: [UInt8] = []
      /// The offset of the current row's value.
      var start = 0
      var hasNulls = false
      var isBound = false

      /// Begins the value of the current row, replacing an earlier binding.
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

    // Only the owner of the transaction accesses it, without re-entrant calls.
    @exclusivity(unchecked) private(set) var columns: [Column]
    /// Encrypts values; nil if nothing is encrypted.
    private let cipher: (any ValueCipher)?
    @exclusivity(unchecked) package private(set) var rowCount = 0
    /// The number of rows that have been sent and removed.
    private(set) var sentCount = 0
    /// The number of rows at which ``look`` is called.
    @exclusivity(unchecked) var nextLook = Int.max
    /// Examines the rows so far, while more are written. Its error ends the writing.
    var look: (() throws -> Void)?
    /// Whether the last column has the rows' originals.
    @exclusivity(unchecked) private var hasOriginals = false
    /// The error for the first value that its column cannot hold.
    package private(set) var failure: SwiftDataError?

    /// The code for wrong use of a statement.
    private static let misuseCode: Int32 = 1

    /// - Parameters:
    ///   - types: The types of the parameters of one row, each a single value.
    ///   - cipher: Encrypts values; nil if nothing is encrypted.
    package init(_ types: [SQLParameterType], cipher: (any ValueCipher)? = nil) {
      self.cipher = cipher
      columns = types.map { Column(type: $0, element: PostgresType($0)) }
    }

    /// The statement for writing rows. The caller retains this object meanwhile.
    package var statement: EngineStatement { statement(originals: nil) { _ in nil } }

    /// The code for a row that was rejected because of another row with its unique values.
    static func conflictCode(ofRow index: Int) -> Int32 { Int32(truncatingIfNeeded: index) + firstConflictCode }

    private static let firstConflictCode: Int32 = 16

    /// The statement for writing rows.
    ///
    /// - Parameters:
    ///   - originals: Collects the values that differ from their stored form.
    ///   - conflict: The error of a rejected row; nil if unknown.
    func statement(
      originals: OriginalNotes?, conflict: @escaping (_ row: Int) -> SwiftDataError?
    ) -> EngineStatement {
      EngineStatement(
        statement: OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), functions: Self.functions,
        isConflict: { $0 >= Self.firstConflictCode }, cipher: cipher, originals: originals,
        // Retained: errors of rejected rows are requested after all rows have been sent.
        error: { [self] code in
          if code == EngineStatement.missingRowCode {
            return SwiftDataError(.modelNotFound, "The row of a model is not in the store any more.")
          }
          return (code >= Self.firstConflictCode ? conflict(Int(code - Self.firstConflictCode)) : failure)
            ?? SwiftDataError(.storeFailure, "A row was written to a statement that does not have its columns.")
        })
    }

    /// Appends a column with the originals of the current rows, if there are any.
    ///
    /// - Parameters:
    ///   - notes: The originals.
    ///   - column: The column of a parameter.
    func append(_ notes: [OriginalNotes.Note], column: (Int) -> ColumnMapping?) throws {
      guard !notes.isEmpty else { return }
      var rows: [Int: [String: String]] = [:]
      // Of several originals of one value, the last counts.
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

    /// An array for each column, in order.
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

    /// The elements of a column of 64-bit integers.
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

    /// For each row, one-element arrays for all columns.
    func singleRows() throws -> [PostgresParameters] {
      try rows { column, element, row in
        var bytes: [UInt8] = []
        bytes.append(bigEndian: element.map { UInt32(truncatingIfNeeded: $0.count) } ?? UInt32.max)
        bytes += element ?? []
        row.append(arrayOf: column.type, column.element, elements: bytes[...], count: 1, hasNulls: element == nil)
      }
    }

    /// The values of each row.
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

    /// The values of the only row.
    func onlyRow() throws -> PostgresParameters {
      if let failure { throw failure }
      var result = PostgresParameters(capacity: columns.count)
      for index in columns.indices {
        let end = columns[index].start
        // An empty value is not NULL; NULL has no bytes either, but another size.
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

    /// Removes the rows.
    package func removeAll() {
      if hasOriginals { columns.removeLast() }
      hasOriginals = false
      for index in columns.indices {
        columns[index].bytes.removeAll(keepingCapacity: true)
        (columns[index].start, columns[index].hasNulls, columns[index].isBound) = (0, false, false)
      }
      (rowCount, failure) = (0, nil)
    }

    /// Removes the rows after they were sent. Further rows may follow.
    func didSend() {
      sentCount += rowCount
      removeAll()
    }

    // MARK: Writing

    /// Binds a value of another type than its column's. A parameter may be bound again before the end of its row.
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

    /// Created once, and never freed or changed, so any thread may read it at any time.
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
