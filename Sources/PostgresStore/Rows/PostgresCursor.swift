#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL

  /// The rows of a statement as the runtime reads them: an opaque pointer, and functions that read the current row.
  ///
  /// Texts and bytes are passed without a copy, in libpq's memory. Some values have another form in the runtime than in
  /// PostgreSQL (``PostgresDialect``). The cursor converts these when they are read.
  ///
  /// Unsafe: the opaque pointer points to the cursor. It is valid only during the call that passes it, which retains
  /// the cursor. Used only by the owner of the connection.
  final class PostgresCursor {
    /// How the values of a column are converted. Determined once for each statement.
    private enum Kind {
      case int8
      case smallInteger
      case real
      case smallReal
      /// A decimal, which is read as its digits.
      case decimal
      /// The sum of decimals, which may have more digits than a `Decimal` can have.
      case decimalSum
      /// An integer, which may exceed `Int64.max`.
      case unsigned
      case bytes
      case text

      init(_ type: PostgresType?, isUnsigned: Bool, isDecimalSum: Bool) {
        switch type {
        case .int8: self = .int8
        case .int4, .int2, .boolean: self = .smallInteger
        case .float8: self = .real
        case .float4: self = .smallReal
        case .numeric: self = isUnsigned ? .unsigned : isDecimalSum ? .decimalSum : .decimal
        case .bytes: self = .bytes
        default: self = .text
        }
      }
    }

    private static let rowCode: Int32 = 1
    private static let doneCode: Int32 = 0
    private static let failureCode: Int32 = 2
    private static let noColumn = Int32.min

    /// What is known of the columns besides their types. The arrays are indexed by column.
    struct Columns {
      /// Whether the column contains unsigned integers; false if the array is shorter.
      var unsigned: [Bool] = []
      /// Whether the column contains sums of decimals; false if the array is shorter.
      var decimalSums: [Bool] = []
      /// The names of columns that may have originals (``OriginalNotes``, in the row's last column); empty for none.
      var originals: [String?] = []
    }

    private let rows: PostgresRows
    private let columns: Columns
    private let mayHaveOriginals: Bool
    // A column is read by several calls with no other code in between. Exclusivity checks would take 1/8 of the time.
    @exclusivity(unchecked) private var kinds: [Kind] = []
    /// The originals of the current row, by column index.
    @exclusivity(unchecked) private var originals: [Int32: [UInt8]] = [:]
    @exclusivity(unchecked) private var hasOriginals = false
    @exclusivity(unchecked) private var row = PostgresRow()
    /// The number of rows received so far.
    @exclusivity(unchecked) private(set) var rowCount = 0
    /// The column that was read last, and its bytes.
    @exclusivity(unchecked) private var lastColumn = PostgresCursor.noColumn
    @exclusivity(unchecked) private var lastBytes: UnsafeRawBufferPointer?
    /// The converted values of the current row, which are freed at the next one.
    @exclusivity(unchecked) private var made: [UnsafeMutableBufferPointer<UInt8>] = []
    @exclusivity(unchecked) private var lastCount = 0
    /// The error because of which no more rows can be read.
    private(set) var failure: (any Error)?

    init(_ rows: PostgresRows, _ columns: Columns = Columns()) {
      self.rows = rows
      self.columns = columns
      mayHaveOriginals = !columns.originals.isEmpty
    }

    deinit { forgetRow() }

    func close() { rows.close() }

    /// The rows for the runtime, starting before the first row. The caller must retain this object while they are read.
    var engineRows: EngineRows {
      EngineRows(
        row: OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), functions: Self.functions,
        error: { [unowned self] _ in
          failure as? SwiftDataError ?? SwiftDataError(.storeFailure, "The rows of a statement ended with an error.")
        })
    }

    // MARK: Rows

    private func step() -> Int32 {
      forgetRow()
      if !row.advance() {
        do {
          guard try readOn() else { return Self.doneCode }
        } catch {
          failure = error
          return Self.failureCode
        }
      }
      if mayHaveOriginals { readOriginals() }
      return Self.rowCode
    }

    /// Moves to the first row of the next result; returns false if there are no more rows.
    private func readOn() throws -> Bool {
      // The previous result may be freed by now, so the old row is dropped even if there is no next result.
      row = PostgresRow()
      guard let next = try rows.nextRows() else { return false }
      if kinds.isEmpty {
        kinds = rows.columnTypes.enumerated().map { column, type in
          Kind(
            type, isUnsigned: columns.unsigned.isTrue(at: column),
            isDecimalSum: columns.decimalSums.isTrue(at: column))
        }
      }
      row = next
      rowCount += Int(row.rowCount)
      return row.advance()
    }

    private func forgetRow() {
      (lastColumn, lastBytes) = (Self.noColumn, nil)
      if hasOriginals {
        originals = [:]
        hasOriginals = false
      }
      guard !made.isEmpty else { return }
      for bytes in made { bytes.deallocate() }
      made.removeAll(keepingCapacity: true)
    }

    // MARK: Columns

    /// The kind of a column, and the bytes of its value; nil for NULL, or if the column is out of range.
    @inline(__always)
    private func value(_ column: Int32) -> (kind: Kind, bytes: UnsafeRawBufferPointer)? {
      if column != lastColumn { (lastColumn, lastBytes) = (column, row.bytes(column)) }
      guard let bytes = lastBytes, kinds.indices.contains(Int(column)) else { return nil }
      return (kinds[Int(column)], bytes)
    }

    private func storageClass(_ column: Int32) -> StorageClass {
      guard let (kind, bytes) = value(column) else { return .null }
      return switch kind {
      case .int8, .smallInteger: .integer
      case .real, .smallReal: Self.real(bytes, kind).isNaN ? .text : .real
      case .unsigned: Self.unsigned(bytes).map { $0 > UInt64(Int64.max) ? .blob : .integer } ?? .text
      case .bytes: .blob
      case .decimal, .decimalSum, .text: .text
      }
    }

    private func integer(_ column: Int32) -> Int64 {
      guard let (kind, bytes) = value(column) else { return 0 }
      return switch kind {
      case .int8, .smallInteger: Self.integer(bytes)
      case .real, .smallReal: Int64(exactly: Self.real(bytes, kind).rounded(.towardZero)) ?? 0
      case .unsigned: Self.unsigned(bytes).flatMap { Int64(exactly: $0) } ?? 0
      case .decimal, .decimalSum, .bytes, .text: 0
      }
    }

    private func real(_ column: Int32) -> Double {
      guard let (kind, bytes) = value(column) else { return 0 }
      return switch kind {
      case .int8, .smallInteger: Double(Self.integer(bytes))
      case .real, .smallReal: real(bytes, kind, of: column)
      case .unsigned: Self.unsigned(bytes).map { Double($0) } ?? 0
      case .decimal, .decimalSum, .bytes, .text: 0
      }
    }

    private func text(_ column: Int32) -> UnsafePointer<UInt8>? {
      guard let (kind, bytes) = value(column) else { return nil }
      switch kind {
      case .text, .bytes:
        if let original = original(of: column, form: bytes) { return make(original) }
        lastCount = bytes.count
        return bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      case .int8, .smallInteger: return make("\(Self.integer(bytes))".utf8)
      case .real, .smallReal:
        let number = Self.real(bytes, kind)
        return make((number.isNaN ? NotANumber.text(of: number) : "\(number)").utf8)
      case .unsigned, .decimal: return make((PostgresNumeric(bytes: bytes)?.text ?? "").utf8)
      case .decimalSum: return make(Self.sum(PostgresNumeric(bytes: bytes)?.text ?? "").utf8)
      }
    }

    /// The digits of a sum if a `Decimal` can have this value, otherwise the text that marks an inexact sum.
    private static func sum(_ digits: String) -> String {
      guard digits != StoredDecimal.notANumber else { return digits }
      let value = digits.utf8.withContiguousStorageIfAvailable { StoredDecimal.value(of: $0) }
      guard let value = value.flatMap({ $0 }), StoredDecimal.digits(of: value) == digits else {
        return SumAccumulator.inexactText
      }
      return digits
    }

    private func blob(_ column: Int32) -> UnsafeRawPointer? {
      guard let (kind, bytes) = value(column) else { return nil }
      if kind == .unsigned, let number = Self.unsigned(bytes) {
        return withUnsafeBytes(of: number.bigEndian) { UnsafeRawPointer(make($0)) }
      }
      lastCount = bytes.count
      return bytes.baseAddress
    }

    /// Copies bytes to memory that is freed at the next row.
    private func make(_ bytes: some Collection<UInt8>) -> UnsafePointer<UInt8>? {
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count + 1)
      copy.initialize(repeating: 0)
      _ = copy.update(fromContentsOf: bytes)
      made.append(copy)
      lastCount = bytes.count
      return UnsafePointer(copy.baseAddress)
    }

    // MARK: Originals

    /// Reads the last column, which is NULL in nearly every row.
    private func readOriginals() {
      guard let bytes = row.lastBytes else { return }
      for (name, original) in PostgresOriginals.originals(ofJSON: String(decoding: bytes, as: UTF8.self)) {
        guard let column = columns.originals.firstIndex(of: name) else { continue }
        originals[Int32(column)] = original
      }
      hasOriginals = !originals.isEmpty
    }

    /// The original of a text; nil if there is none, or if another program has since changed only the text.
    private func original(of column: Int32, form: UnsafeRawBufferPointer) -> [UInt8]? {
      guard hasOriginals, let original = originals[column],
        StoredText.form(of: String(decoding: original, as: UTF8.self)).utf8.elementsEqual(form)
      else { return nil }
      return original
    }

    private func real(_ bytes: UnsafeRawBufferPointer, _ kind: Kind, of column: Int32) -> Double {
      let number = Self.real(bytes, kind)
      guard number == 0, hasOriginals, let original = originals[column],
        original.elementsEqual(OriginalNotes.negativeZero.utf8)
      else { return number }
      return -0.0
    }

    // MARK: Numbers

    @inline(__always)
    private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
      switch bytes.count {
      case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
      case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
      case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
      case 1: Int64(bytes[0])
      default: 0
      }
    }

    private static func real(_ bytes: UnsafeRawBufferPointer, _ kind: Kind) -> Double {
      switch bytes.count {
      case 8: Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
      case 4: Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
      default: .nan
      }
    }

    private static func unsigned(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
      PostgresNumeric(bytes: bytes)?.unsigned
    }

    // MARK: Functions

    @inline(__always)
    private static func at<Value>(_ row: OpaquePointer?, _ other: Value, _ body: (PostgresCursor) -> Value) -> Value {
      row.map { Unmanaged<PostgresCursor>.fromOpaque(UnsafeRawPointer($0))._withUnsafeGuaranteedRef(body) } ?? other
    }

    /// Never changed or freed after its creation, so every thread may read it.
    nonisolated(unsafe) static let functions: UnsafePointer<ColumnReadFunctions> = {
      let functions = UnsafeMutablePointer<ColumnReadFunctions>.allocate(capacity: 1)
      functions.initialize(
        to: ColumnReadFunctions(
          step: { PostgresCursor.at($0, failureCode) { $0.step() } }, rowCode: rowCode, doneCode: doneCode,
          storageClass: { row, column in
            PostgresCursor.at(row, StorageClass.null) { $0.storageClass(column) }.rawValue
          },
          integer: { row, column in PostgresCursor.at(row, 0) { $0.integer(column) } },
          real: { row, column in PostgresCursor.at(row, 0) { $0.real(column) } },
          text: { row, column in PostgresCursor.at(row, nil) { $0.text(column) } },
          blob: { row, column in PostgresCursor.at(row, nil) { $0.blob(column) } },
          count: { row, _ in PostgresCursor.at(row, 0) { Int32(clamping: $0.lastCount) } }))
      return UnsafePointer(functions)
    }()
  }

  extension [Bool] {
    /// The element at an index; false if the index is out of range.
    fileprivate func isTrue(at index: Int) -> Bool { indices.contains(index) && self[index] }
  }
#endif
