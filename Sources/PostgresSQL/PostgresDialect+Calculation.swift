#if PostgreSQL
  import PersistenceRuntime
  import SQLEngine

  /// Arithmetic with the semantics of Swift's types. PostgreSQL aborts a statement on overflow or division by zero, so
  /// the SQL of each operation tests for both before it computes the result.
  ///
  /// Each operand is written once, as a column of a one-row subquery. If the SQL of an operand were repeated, nested
  /// operations would double in size with every level. The `OFFSET` keeps the planner from inlining the subquery.
  /// Otherwise the planner would evaluate an operation on two parameters during planning, before the tests, and the
  /// operation could overflow.
  extension PostgresDialect {
    package func calculation(
      _ operation: ArithmeticOperation, _ form: NumberForm, _ lhs: String, _ rhs: String
    ) -> String {
      let type = form.format == .real ? "float8" : "numeric"
      let result =
        switch form {
        case .decimal: decimalResult(operation)
        case .float: asFloat(realResult(operation))
        case .double: realResult(operation)
        default: integerResult(operation, form)
        }
      return "(SELECT \(result) FROM (SELECT (\(lhs))::\(type) AS l, (\(rhs))::\(type) AS r OFFSET 0) AS _osd_c)"
    }

    package func negation(_ form: NumberForm, _ value: String) -> String {
      switch form {
      case .float, .double: "(- (\(value)))"
      default: calculation(.subtract, form, "0", value)
      }
    }

    // MARK: Integers

    /// The result of an operation on integers; NULL if it overflows or is undefined.
    private func integerResult(_ operation: ArithmeticOperation, _ form: NumberForm) -> String {
      let (least, greatest) = Self.bounds(of: form)
      let type = form == .uint64 ? "numeric" : "int8"
      let quotient = "div(_osd_c.l, nullif(_osd_c.r, 0))"
      let (tested, result) =
        switch operation {
        case .add: ("_osd_c.l + _osd_c.r", "_osd_c.l + _osd_c.r")
        case .subtract: ("_osd_c.l - _osd_c.r", "_osd_c.l - _osd_c.r")
        case .multiply: ("_osd_c.l * _osd_c.r", "_osd_c.l * _osd_c.r")
        case .divide: (quotient, quotient)
        // The least integer % -1 overflows in Swift, like the least integer / -1, so the quotient is tested here too.
        case .remainder: (quotient, "mod(_osd_c.l, nullif(_osd_c.r, 0))")
        }
      return "CASE WHEN \(tested) BETWEEN \(least) AND \(greatest) THEN (\(result))::\(type) END"
    }

    private static func bounds(of form: NumberForm) -> (least: String, greatest: String) {
      switch form {
      case .int8: ("-128", "127")
      case .int16: ("-32768", "32767")
      case .int32: ("-2147483648", "2147483647")
      case .uint8: ("0", "255")
      case .uint16: ("0", "65535")
      case .uint32: ("0", "4294967295")
      case .uint64: ("0", "18446744073709551615")
      default: ("-9223372036854775808", "9223372036854775807")
      }
    }

    // MARK: Floating-point numbers

    /// Computes the result of IEEE 754 even if it overflows or underflows, where PostgreSQL's operators throw an error.
    ///
    /// If a result may overflow or underflow, the operation is first tried on operands scaled by powers of two. Such
    /// scaling is exact.
    private func realResult(_ operation: ArithmeticOperation) -> String {
      let (l, r) = ("_osd_c.l", "_osd_c.r")
      let cases =
        switch operation {
        case .add: Self.sumCases(l, "+", r)
        case .subtract: Self.sumCases(l, "-", r)
        case .multiply: Self.productCases(l, r)
        case .divide, .remainder: Self.quotientCases(l, r)
        }
      return "CASE WHEN \(l) IS NULL OR \(r) IS NULL THEN NULL \(cases) END"
    }

    private static func sumCases(_ l: String, _ sign: String, _ r: String) -> String {
      // A summand below 1e290 is too small to make the sum overflow.
      "WHEN \(isSpecial(l, r)) OR \(more(l, r)) < 8e307 OR \(less(l, r)) < 1e290 THEN \(l) \(sign) \(r) "
        + "WHEN abs(\(l) / 2 \(sign) \(r) / 2) < \(halfOfLimit) THEN \(l) \(sign) \(r) "
        + "WHEN \(l) > 0 THEN \(infinity) ELSE -\(infinity)"
    }

    private static func productCases(_ l: String, _ r: String) -> String {
      let (less, more) = (Self.less(l, r), Self.more(l, r))
      let small = "abs((\(l) * \(smaller)) * (\(r) * \(smaller)))"
      let great = "abs((\(l) * \(greater)) * (\(r) * \(greater)))"
      return "WHEN \(isSpecial(l, r)) OR \(l) = 0 OR \(r) = 0 THEN \(l) * \(r) "
        + "WHEN \(less) > 1e-150 AND \(more) > 1e150 THEN "
        + "CASE WHEN \(small) < 1 THEN \(l) * \(r) ELSE \(signedInfinity(l, r)) END "
        + "WHEN \(less) < 1e-150 AND \(more) < 1 THEN "
        + "CASE WHEN \(more) < 1e-162 THEN 0 WHEN \(great) > \(vanishing) THEN \(l) * \(r) ELSE 0 END "
        + "ELSE \(l) * \(r)"
    }

    private static func quotientCases(_ l: String, _ r: String) -> String {
      let isNegative = "(\(l) < 0) <> (\(r)::text = '-0')"
      let small = "abs((\(l) * \(smaller)) / (\(r) * \(greater)))"
      let great = "abs((\(l) * \(greater)) / (\(r) * \(smaller)))"
      return "WHEN \(r) = 0 THEN CASE WHEN \(l) = 0 OR \(l) = 'NaN' THEN 'NaN'::float8 "
        + "WHEN \(isNegative) THEN -\(infinity) ELSE \(infinity) END "
        + "WHEN \(isSpecial(l, r)) OR \(l) = 0 THEN \(l) / \(r) "
        // A quotient above 1e300 may overflow, so scaled operands are divided first, unless their quotient may too.
        + "WHEN abs(\(r)) < 1 AND abs(\(l)) > abs(\(r)) * 1e300 THEN "
        + "CASE WHEN abs(\(l)) / 1024 > abs(\(r)) * 1.7e308 THEN \(signedInfinity(l, r)) "
        + "WHEN \(small) < 1 THEN \(l) / \(r) ELSE \(signedInfinity(l, r)) END "
        + "WHEN abs(\(r)) > 1 AND abs(\(l)) < abs(\(r)) * 1e-300 THEN "
        + "CASE WHEN \(great) > \(vanishing) THEN \(l) / \(r) ELSE 0 END "
        + "ELSE \(l) / \(r)"
    }

    private static func less(_ l: String, _ r: String) -> String { "least(abs(\(l)), abs(\(r)))" }

    private static func more(_ l: String, _ r: String) -> String { "greatest(abs(\(l)), abs(\(r)))" }

    /// True if an operand is infinite or not-a-number. Operations on such operands never fail.
    private static func isSpecial(_ l: String, _ r: String) -> String {
      "NOT (abs(\(l)) < \(infinity) AND abs(\(r)) < \(infinity))"
    }

    private static func signedInfinity(_ l: String, _ r: String) -> String {
      "CASE WHEN (\(l) > 0) = (\(r) > 0) THEN \(infinity) ELSE -\(infinity) END"
    }

    private static var infinity: String { "'Infinity'::float8" }
    /// 2^1023, half of the limit 2^1024.
    private static var halfOfLimit: String { "'8.98846567431158e+307'::float8" }
    /// 2^-512 and 2^512, by which operands are scaled.
    private static var smaller: String { "'7.458340731200207e-155'::float8" }
    private static var greater: String { "'1.3407807929942597e+154'::float8" }
    /// 2^-51. A result of at most 2^-1075, half of the least positive number, is rounded to zero. The tests compare the
    /// result times 2^1024 with this value.
    private static var vanishing: String { "'4.440892098500626e-16'::float8" }

    /// Rounds a result to the precision and range of `Float`. The SQL value remains a `float8`.
    private func asFloat(_ result: String) -> String {
      "(SELECT CASE WHEN _osd_f.v = 'NaN' THEN 'NaN'::float8 "
        + "WHEN abs(_osd_f.v) >= '3.4028235677973366e+38'::float8 THEN sign(_osd_f.v) * 'Infinity'::float8 "
        + "WHEN abs(_osd_f.v) <= '7.006492321624085e-46'::float8 THEN 0 ELSE _osd_f.v::float4::float8 END "
        + "FROM (SELECT \(result) AS v OFFSET 0) AS _osd_f)"
    }

    // MARK: Decimals

    private func decimalResult(_ operation: ArithmeticOperation) -> String {
      let sign =
        switch operation {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        // Divisions of decimals are not translated to SQL, since Foundation rounds the quotient differently.
        case .divide, .remainder: ""
        }
      guard !sign.isEmpty else { return "NULL::numeric" }
      let nothing = "'-Infinity'::numeric"
      return
        "CASE WHEN _osd_c.l = \(nothing) OR _osd_c.r = \(nothing) THEN \(nothing) ELSE _osd_c.l \(sign) _osd_c.r END"
    }
  }
#endif
