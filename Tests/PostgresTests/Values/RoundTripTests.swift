#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresSQL
  import PostgresStore
  import PostgresSupport
  import SQLEngine
  import SeededNumbers
  import Testing

  /// Some values, and the type of column in which they are stored.
  struct ColumnValue: Sendable, CustomTestStringConvertible {
    let rule: String
    let format: ColumnFormat
    var isUnsigned = false
    let values: [StoredValue]

    var testDescription: String { rule }
  }

  @Suite("Values in PostgreSQL")
  struct RoundTripTests {
    static let texts: [String] = [
      "", "plain", "it's \"quoted\" \\ and %", "e\u{301}", "\u{E9}", "\u{AC01}", "\u{1100}\u{1161}\u{11A8}", "\u{212A}",
      "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{10FFFF}", "\u{FFFD}\u{FEFF}", "a\u{0}b", "\u{0}", "\u{1}",
      "\u{1}\u{2}",
      "\r\n", "\u{7F}\u{80}", "\u{16D63}\u{16D68}", String(repeating: "long ", count: 50_000),
    ]

    static let cases: [ColumnValue] = [
      ColumnValue(
        rule: "a whole number", format: .integer,
        values: ([.min, .min + 1, -1, 0, 1, .max] as [Int64]).map { StoredValue.integer($0) } + [.null]),
      ColumnValue(
        rule: "a whole number without a sign", format: .integer, isUnsigned: true,
        values: [.integer(0), .integer(.max), .null]
          + ([UInt64(Int64.max) + 1, .max - 1, .max] as [UInt64]).map { number in
            StoredValue.blob(withUnsafeBytes(of: number.bigEndian) { Data($0) })
          }),
      ColumnValue(
        rule: "a floating-point number", format: .real,
        values: ([
          0, -0.0, 1.5, 0.1, -1e-300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity,
          Double(Float(0.1)), 750_000_000.123456,
        ] as [Double]).map { StoredValue.real($0) } + [.text("NaN"), .text("NaN:7ff8000000000123"), .null]),
      ColumnValue(
        rule: "a text, in its stored form", format: .text,
        values: texts.map { StoredValue.text(StoredText.form(of: $0)) } + [.null]),
      ColumnValue(
        rule: "a link", format: .url, values: ["https://example.org/%00?q=a b", "x https://base/"].map { .text($0) }),
      ColumnValue(
        rule: "a decimal", format: .decimal,
        values: [
          "0", "1", "-1", "0.1", "-0.00001", "12345.6789", "10000", "99999999999999999999999999999999999999",
          "0.\(String(repeating: "0", count: 127))1", "1\(String(repeating: "0", count: 127))", "NaN",
          "100000000.00000001",
        ].map { .text($0) } + [.null]),
      ColumnValue(
        rule: "bytes", format: .blob, values: [.blob(Data()), .blob(Data((0...255).map { UInt8($0) })), .null]),
      ColumnValue(
        rule: "JSON, byte by byte", format: .json,
        values: [#"{"b":1,"a":1.50}"#, #"["a\u0000b\u0001"]"#, "1", #""x""#, "[]", "null"].map { .text($0) } + [.null]),
      ColumnValue(rule: "a reference", format: .reference, values: [.integer(1), .integer((1 << 53) - 1), .null]),
    ]

    @Test("a value is read as it was bound, from a column and from an expression", arguments: cases)
    func roundTrip(_ item: ColumnValue) throws {
      let (connection, namespace) = try TestCluster.shared.get().connectToNamespace()
      let dialect = PostgresDialect(namespace: namespace)
      let table = dialect.table("values")
      let type = dialect.columnType(for: item.format, isUnsigned: item.isUnsigned)
      try connection.execute("CREATE TABLE \(table) (number int8, value \(type))")
      let placeholder = dialect.placeholder(1, .value(item.format, isUnsigned: item.isUnsigned))
      for value in item.values {
        var parameters = PostgresParameters()
        try parameters.append(value, as: .value(item.format, isUnsigned: item.isUnsigned))
        let results = try connection.run([
          PostgresStatement("DELETE FROM \(table)"),
          PostgresStatement("INSERT INTO \(table) (value) VALUES (\(placeholder))", parameters),
          PostgresStatement("SELECT value FROM \(table)"), PostgresStatement("SELECT \(placeholder)", parameters),
        ])
        for result in results.suffix(2) {
          let found = try result.value(0, 0, isUnsigned: item.isUnsigned)
          #expect(Self.isSame(found, value), "\(found) instead of \(value)")
        }
      }
    }

    @Test("values in a list are read as they were bound, including nil", arguments: cases)
    func lists(_ item: ColumnValue) throws {
      let connection = try TestCluster.shared.get().connect()
      let dialect = PostgresDialect(namespace: "none")
      let list = dialect.placeholder(1, .list(item.format, isUnsigned: item.isUnsigned))
      for values in [item.values, [], [.null]] {
        var parameters = PostgresParameters()
        try parameters.append(list: values, of: item.format, isUnsigned: item.isUnsigned)
        let source = dialect.elements(ofList: list, format: item.format, as: "e")
        let result = try connection.run(
          PostgresStatement("SELECT \(dialect.elementValue(of: "e")) FROM \(source)", parameters))
        #expect(result.rowCount == values.count)
        for (index, value) in values.enumerated() {
          let found = try result.value(index, 0, isUnsigned: item.isUnsigned)
          #expect(Self.isSame(found, value), "\(found) instead of \(value)")
        }
      }
    }

    @Test("a value equals its literal in the text of a statement", arguments: cases)
    func literals(_ item: ColumnValue) throws {
      let (connection, namespace) = try TestCluster.shared.get().connectToNamespace()
      let dialect = PostgresDialect(namespace: namespace)
      let table = dialect.table("values")
      let type = dialect.columnType(for: item.format, isUnsigned: item.isUnsigned)
      try connection.execute("CREATE TABLE \(table) (value \(type))")
      // Unsigned integers, decimals and one not-a-number value are only sent as parameters (decision 70).
      let isWritten = !item.isUnsigned && item.format != .decimal
      for value in item.values where isWritten && value != .text("NaN:7ff8000000000123") {
        let results = try connection.run([
          PostgresStatement("DELETE FROM \(table)"),
          PostgresStatement("INSERT INTO \(table) (value) VALUES (\(dialect.literal(value)))"),
          PostgresStatement("SELECT value FROM \(table)"),
        ])
        let found = try #require(try results.last?.value(0, 0))
        #expect(Self.isSame(found, value), "\(found) instead of \(value)")
      }
    }

    @Test("binding a text with U+0000 throws before anything is sent")
    func unsentText() throws {
      var parameters = PostgresParameters()
      let error = #expect(throws: SwiftDataError.self) { try parameters.append("a\u{0}") }
      #expect(error == .valueNotStorable)
    }

    @Test("decimal digits are sent as the number that PostgreSQL parses from them")
    func digits() throws {
      let seed = SeededGenerator.chosenSeed
      var random = SeededGenerator(seed: seed)
      let connection = try TestCluster.shared.get().connect()
      for number in 0..<400 {
        let length = Int.random(in: 1...38, using: &random)
        let significand = (0..<length).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
        let exponent = Int.random(in: -60...60, using: &random)
        guard let decimal = Decimal(string: "\(Bool.random(using: &random) ? "-" : "")\(significand)e\(exponent)")
        else {
          continue
        }
        let digits = StoredDecimal.digits(of: decimal)
        var parameters = PostgresParameters()
        try parameters.append(numeric: digits)
        let result = try connection.run(
          PostgresStatement("SELECT $1::numeric, $1::numeric = '\(digits)'::numeric", parameters))
        let isRight = try result.value(0, 0) == .text(digits) && result.integer(0, 1) == 1
        #expect(isRight, "seed \(seed), case \(number): \(digits)")
      }
    }

    /// Returns true if two values are equal. Floating-point numbers must have the same bits.
    private static func isSame(_ lhs: StoredValue, _ rhs: StoredValue) -> Bool {
      if case .real(let left) = lhs, case .real(let right) = rhs { return left.bitPattern == right.bitPattern }
      return lhs == rhs
    }
  }
#endif
