#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import SQLEngine

  /// The parameters of a statement in binary form. All bytes are in one array, which is usually allocated once.
  package struct PostgresParameters: Sendable {
    private(set) var types: [PostgresType] = []
    private(set) var bytes: [UInt8] = []
    /// The position of each value in the bytes; nil for NULL.
    private(set) var ranges: [Range<Int>?] = []

    package init() {}

    /// - Parameter capacity: The expected number of values, most of them short.
    init(capacity: Int) {
      types.reserveCapacity(capacity)
      ranges.reserveCapacity(capacity)
      bytes.reserveCapacity(capacity * 16)
    }

    package var count: Int { types.count }

    /// Whether one of the values is an array.
    var haveArrays: Bool { types.contains(where: \.isArray) }

    package mutating func appendNull(_ type: PostgresType) {
      types.append(type)
      ranges.append(nil)
    }

    package mutating func append(_ number: Int64) {
      append(.int8) { $0.append(bigEndian: UInt64(bitPattern: number)) }
    }

    package mutating func append(_ number: Double) {
      append(.float8) { $0.append(bigEndian: number.bitPattern) }
    }

    /// - Throws: `SwiftDataError.valueNotStorable` if the text contains U+0000, which PostgreSQL cannot store.
    package mutating func append(_ text: String, _ type: PostgresType = .text) throws {
      try Self.check(text)
      append(type) { $0.append(contentsOf: text.utf8) }
    }

    /// Appends all values of another statement.
    mutating func append(contentsOf other: PostgresParameters) {
      let start = bytes.count
      types.append(contentsOf: other.types)
      bytes.append(contentsOf: other.bytes)
      ranges.append(contentsOf: other.ranges.map { $0.map { $0.lowerBound + start..<$0.upperBound + start } })
    }

    /// Appends a value that is already in binary form; nil for NULL.
    mutating func append(bytes value: ArraySlice<UInt8>?, as type: PostgresType) {
      guard let value else { return appendNull(type) }
      append(type) { $0.append(contentsOf: value) }
    }

    package mutating func append(_ data: Data) {
      append(.bytes) { $0.append(contentsOf: data) }
    }

    /// - Throws: `SwiftDataError.valueNotStorable` if the text is not a number.
    package mutating func append(numeric text: String) throws {
      let number = try Self.numeric(text)
      append(.numeric) { number.write(to: &$0) }
    }

    // MARK: Stored values

    /// Appends a value from the runtime, in the type of its parameter.
    ///
    /// - Throws: `SwiftDataError.valueNotStorable` if the type cannot represent the value.
    package mutating func append(_ value: StoredValue, as type: SQLParameterType) throws {
      let type = PostgresType(type)
      if case .null = value { return appendNull(type) }
      try append(type) { try Self.write(value, as: type, to: &$0) }
    }

    /// Appends a list of values as an array.
    package mutating func append(list: [StoredValue], of format: ColumnFormat, isUnsigned: Bool = false) throws {
      let element = PostgresType(format, isUnsigned: isUnsigned)
      var bytes: [UInt8] = []
      bytes.append(bigEndian: UInt32(list.isEmpty ? 0 : 1))
      bytes.append(bigEndian: UInt32(list.contains(.null) ? 1 : 0))
      bytes.append(bigEndian: element.rawValue)
      if !list.isEmpty {
        bytes.append(bigEndian: UInt32(truncatingIfNeeded: list.count))
        bytes.append(bigEndian: UInt32(1))
      }
      for value in list { try Self.append(value, as: element, toArray: &bytes) }
      append(PostgresType(.list(format, isUnsigned: isUnsigned))) { $0.append(contentsOf: bytes) }
    }

    /// Appends an array. The elements are already in binary form, each after its size in bytes.
    mutating func append(
      arrayOf type: SQLParameterType, _ element: PostgresType, elements: ArraySlice<UInt8>, count: Int, hasNulls: Bool
    ) {
      append(PostgresType(type.list)) { bytes in
        bytes.append(bigEndian: UInt32(count == 0 ? 0 : 1))
        bytes.append(bigEndian: UInt32(hasNulls ? 1 : 0))
        bytes.append(bigEndian: element.rawValue)
        guard count > 0 else { return }
        bytes.append(bigEndian: UInt32(truncatingIfNeeded: count))
        bytes.append(bigEndian: UInt32(1))
        bytes.append(contentsOf: elements)
      }
    }

    private static func append(_ value: StoredValue, as type: PostgresType, toArray bytes: inout [UInt8]) throws {
      guard value != .null else { return bytes.append(bigEndian: UInt32.max) }
      let place = bytes.count
      bytes.append(bigEndian: UInt32(0))
      try write(value, as: type, to: &bytes)
      bytes.replace(bigEndian: UInt32(truncatingIfNeeded: bytes.count - place - 4), at: place)
    }

    /// Writes a value in binary form. The value must not be NULL.
    ///
    /// - Throws: `SwiftDataError.valueNotStorable` if the type cannot represent the value.
    static func write(_ value: StoredValue, as type: PostgresType, to bytes: inout [UInt8]) throws {
      switch (type, value) {
      case (.int8, .integer(let number)): bytes.append(bigEndian: UInt64(bitPattern: number))
      case (.float8, .real(let number)): bytes.append(bigEndian: number.bitPattern)
      case (.float8, .integer(let number)): bytes.append(bigEndian: Double(number).bitPattern)
      // The engine passes a NaN as text.
      case (.float8, .text(let text)): bytes.append(bigEndian: (NotANumber.value(of: text) ?? .nan).bitPattern)
      case (.numeric, .integer(let number)):
        try numeric("\(number)").write(to: &bytes)
      // The engine passes an integer above `Int64.max` as 8 bytes.
      case (.numeric, .blob(let data)) where data.count == 8:
        PostgresNumeric(data.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }).write(to: &bytes)
      case (.numeric, .text(let text)): try numeric(text).write(to: &bytes)
      case (.text, .text(let text)), (.json, .text(let text)):
        try check(text)
        bytes.append(contentsOf: text.utf8)
      case (.bytes, .blob(let data)): bytes.append(contentsOf: data)
      default: throw SwiftDataError(.valueNotStorable, "A column of PostgreSQL's type \(type) cannot hold \(value).")
      }
    }

    private static func numeric(_ text: String) throws -> PostgresNumeric {
      guard let number = PostgresNumeric(text) else {
        throw SwiftDataError(.valueNotStorable, "'\(text)' is no number.")
      }
      return number
    }

    private static func check(_ text: String) throws {
      guard text.utf8.contains(0) else { return }
      throw SwiftDataError(
        .valueNotStorable,
        "A text with U+0000 cannot be stored in PostgreSQL as it is. Texts of models have a form without.")
    }

    // MARK: Bytes

    /// Passes the addresses, sizes and binary format codes of the values to a closure, in the form that libpq needs.
    /// They are valid only during the call. If there are few parameters, no memory is allocated.
    func withBindings<Result>(
      _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
    ) -> Result {
      // For an empty value, the pointer must not be null, which would mean NULL.
      (bytes.isEmpty ? [0] : bytes).withUnsafeBytes { bytes in
        let start = bytes.bindMemory(to: CChar.self).baseAddress
        return withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
          withUnsafeTemporaryAllocation(of: Int32.self, capacity: count * 2) { numbers in
            for (index, range) in ranges.enumerated() {
              values.initializeElement(at: index, to: range.flatMap { range in start.map { $0 + range.lowerBound } })
              numbers.initializeElement(at: index, to: Int32(truncatingIfNeeded: range?.count ?? 0))
              numbers.initializeElement(at: count + index, to: 1)
            }
            let lengths = UnsafePointer(numbers.baseAddress)
            return body(UnsafePointer(values.baseAddress), lengths, lengths.map { $0 + count })
          }
        }
      }
    }

    /// Appends a value. If the closure throws, unused bytes remain in the array, but no parameter is added.
    @inline(__always)
    private mutating func append(_ type: PostgresType, _ write: (inout [UInt8]) throws -> Void) rethrows {
      let start = bytes.count
      try write(&bytes)
      types.append(type)
      ranges.append(start..<bytes.count)
    }
  }

  extension SQLParameterType {
    /// The type of an array of values of this type.
    package var list: SQLParameterType {
      switch self {
      case .value(let format, let isUnsigned), .list(let format, let isUnsigned): .list(format, isUnsigned: isUnsigned)
      }
    }
  }

  extension [UInt8] {
    /// Overwrites four bytes with a number in big-endian order.
    mutating func replace(bigEndian number: UInt32, at place: Int) {
      for index in 0..<4 { self[place + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32(index))) }
    }

    mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
      Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a number after its size, with a single call.
    mutating func append(counted number: UInt64) {
      let words = (UInt32(8), UInt32(truncatingIfNeeded: number >> 32), UInt32(truncatingIfNeeded: number))
      Swift.withUnsafeBytes(of: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian)) { append(contentsOf: $0) }
    }
  }
#endif
