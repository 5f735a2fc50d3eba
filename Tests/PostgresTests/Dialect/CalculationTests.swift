#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresSQL
  import PostgresStore
  import PostgresSupport
  import SQLEngine
  import SeededNumbers
  import Testing

  @Suite("Arithmetic with extreme numbers in PostgreSQL")
  struct PostgresCalculationTests {
    private let connection: PostgresConnection
    private let dialect = PostgresDialect(namespace: "none")
    private static let operations: [ArithmeticOperation] = [.add, .subtract, .multiply, .divide, .remainder]

    init() throws {
      connection = try TestCluster.shared.get().connect()
    }

    private func result(
      _ operation: ArithmeticOperation, _ form: NumberForm, _ lhs: StoredValue, _ rhs: StoredValue
    ) throws -> StoredValue {
      let isUnsigned = form == .uint64
      let type = SQLParameterType.value(form.format, isUnsigned: isUnsigned)
      var parameters = PostgresParameters()
      try parameters.append(lhs, as: type)
      try parameters.append(rhs, as: type)
      let sql = dialect.calculation(operation, form, dialect.placeholder(1, type), dialect.placeholder(2, type))
      return try connection.run(PostgresStatement("SELECT \(sql)", parameters)).value(0, 0, isUnsigned: isUnsigned)
    }

    // MARK: Integers

    private func check<Number: FixedWidthInteger & QueryValueConvertible>(
      _ type: Number.Type, _ random: inout SeededGenerator, seed: UInt64
    ) throws {
      let form = try #require(NumberForm(type))
      let limits: [Number] = [.min, .max, 0, 1, 2, 0 &- 1, .max - 1, .min + 1]
      for _ in 0..<60 {
        func number() -> Number {
          Bool.random(using: &random)
            ? limits[Int.random(in: 0..<limits.count, using: &random)]
            : Number.random(in: .min ... .max, using: &random)
        }
        let (lhs, rhs) = (number(), number())
        for operation in Self.operations {
          let (value, overflows) = Self.calculate(operation, lhs, rhs)
          let found = try result(operation, form, Self.stored(lhs.queryValue), Self.stored(rhs.queryValue))
          let wanted = overflows ? .null : Self.stored(value.queryValue)
          #expect(found == wanted, "seed \(seed): \(lhs) \(operation) \(rhs) as \(type)")
        }
      }
    }

    private static func calculate<Number: FixedWidthInteger>(
      _ operation: ArithmeticOperation, _ lhs: Number, _ rhs: Number
    ) -> (Number, Bool) {
      switch operation {
      case .add: lhs.addingReportingOverflow(rhs)
      case .subtract: lhs.subtractingReportingOverflow(rhs)
      case .multiply: lhs.multipliedReportingOverflow(by: rhs)
      case .divide: lhs.dividedReportingOverflow(by: rhs)
      case .remainder: lhs.remainderReportingOverflow(dividingBy: rhs)
      }
    }

    private static func stored(_ value: QueryValue) -> StoredValue {
      switch value {
      case .integer(let number): .integer(number)
      case .blob(let data, _): .blob(data)
      case .real(let number): .real(number)
      case .text(let text, _): .text(text)
      default: .null
      }
    }

    @Test("integer arithmetic equals Swift's, and yields NULL if the result overflows or is undefined")
    func integers() throws {
      let seed = SeededGenerator.chosenSeed
      var random = SeededGenerator(seed: seed)
      try check(Int.self, &random, seed: seed)
      try check(Int8.self, &random, seed: seed)
      try check(Int16.self, &random, seed: seed)
      try check(Int32.self, &random, seed: seed)
      try check(UInt64.self, &random, seed: seed)
      try check(UInt8.self, &random, seed: seed)
      try check(UInt16.self, &random, seed: seed)
      try check(UInt32.self, &random, seed: seed)
    }

    // MARK: Floating-point numbers

    private static let reals: [Double] = [
      0, -0.0, 1, -1, 3, 0.1, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, 1e154, 1e155, 1e-162, 1e-150, 1e150,
      2e-162,
      1e300, 1e-300, 1e308, 8.98846567431158e307, 0.5, 2, 1024,
    ]

    @Test("floating-point arithmetic follows IEEE 754 without an error", arguments: [NumberForm.double, .float])
    func reals(_ form: NumberForm) throws {
      let seed = SeededGenerator.chosenSeed
      var random = SeededGenerator(seed: seed)
      let floats: [Float] = [
        .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1, 3, -0.0, .infinity, .nan, 1e20, 1e-30,
      ]
      for _ in 0..<400 {
        func number() -> Double {
          if form == .float { return Double(floats[Int.random(in: 0..<floats.count, using: &random)]) }
          if Int.random(in: 0..<3, using: &random) == 0 { return Double(bitPattern: random.next()) }
          return Self.reals[Int.random(in: 0..<Self.reals.count, using: &random)]
        }
        let (lhs, rhs) = (number(), number())
        for operation in Self.operations.dropLast() {
          var wanted = Self.calculate(operation, lhs, rhs)
          if form == .float { wanted = Double(Float(wanted)) }
          let found = try result(operation, form, Self.stored(lhs.queryValue), Self.stored(rhs.queryValue))
          let isRight =
            switch found {
            case .real(let number): number == wanted
            case .text: wanted.isNaN
            default: false
            }
          #expect(isRight, "seed \(seed): \(lhs) \(operation) \(rhs) as \(form) is \(found), not \(wanted)")
        }
      }
    }

    private static func calculate(_ operation: ArithmeticOperation, _ lhs: Double, _ rhs: Double) -> Double {
      switch operation {
      case .add: lhs + rhs
      case .subtract: lhs - rhs
      case .multiply: lhs * rhs
      case .divide, .remainder: lhs / rhs
      }
    }

    @Test("arithmetic with nil is nil", arguments: [NumberForm.int64, .uint64, .double, .float, .decimal])
    func missing(_ form: NumberForm) throws {
      let one: StoredValue = form.format == .real ? .real(1) : form == .decimal ? .text("1") : .integer(1)
      for operation in Self.operations {
        #expect(try result(operation, form, one, .null) == .null)
        #expect(try result(operation, form, .null, one) == .null)
      }
    }

    // MARK: Decimals

    @Test("decimal arithmetic equals Foundation's, and not-a-number stays not-a-number")
    func decimals() throws {
      let numbers = ["0", "1", "-1", "0.1", "-12345.678", "99999999999999", "0.00000001"].compactMap {
        Decimal(string: $0)
      }
      for lhs in numbers + [.nan] {
        for rhs in numbers + [.nan] {
          let pairs: [(ArithmeticOperation, Decimal)] = [
            (.add, lhs + rhs), (.subtract, lhs - rhs), (.multiply, lhs * rhs),
          ]
          for (operation, wanted) in pairs {
            let found = try result(operation, .decimal, Self.stored(lhs.queryValue), Self.stored(rhs.queryValue))
            #expect(found == .text(StoredDecimal.digits(of: wanted)), "\(lhs) \(operation) \(rhs)")
          }
        }
      }
    }

    @Test("the SQL of nested operations grows linearly with their depth")
    func depth() throws {
      var sql = dialect.placeholder(1, .value(.real))
      for _ in 0..<12 { sql = dialect.calculation(.multiply, .double, sql, "2") }
      #expect(sql.utf8.count < 40_000)
      var parameters = PostgresParameters()
      parameters.append(1.0)
      #expect(try connection.run(PostgresStatement("SELECT \(sql)", parameters)).value(0, 0) == .real(4096))
    }
  }
#endif
