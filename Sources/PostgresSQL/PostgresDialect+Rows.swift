#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import SQLEngine

  /// Insertions that may conflict with existing rows, and literals of values.
  extension PostgresDialect {
    package func insertingMissing(_ insertion: String) -> String { insertion + " ON CONFLICT DO NOTHING" }

    /// PostgreSQL allows only one conflict target. With several uniqueness rules, one statement therefore updates the
    /// existing row, or inserts the new row if there is none. If another transaction inserts a conflicting row between
    /// the two steps, PostgreSQL reports error 23505, and the save is repeated.
    package func upsert(
      _ insertion: RowInsertion, changes: String, returning returned: [String], rules: () -> [UniquenessRule]
    ) -> String {
      let rules = rules()
      let list = returned.joined(separator: ", ")
      guard rules.count > 1 else {
        let action = rules.first.map { " ON CONFLICT \($0.target(self)) DO UPDATE SET \(changes)" } ?? ""
        return "\(insertion.sql)\(action) RETURNING \(list)"
      }
      let row = zip(insertion.values, insertion.columns).map { "\($0) AS \($1)" }.joined(separator: ", ")
      let columns = insertion.columns.joined(separator: ", ")
      let tests = rules.map { "(\(isMet($0, in: insertion.source)))" }.joined(separator: " OR ")
      let own = returned.map { "\(insertion.source).\($0)" }.joined(separator: ", ")
      return "WITH excluded AS (SELECT \(row)), "
        + "changed AS (UPDATE \(insertion.table) SET \(changes) FROM excluded WHERE \(tests) RETURNING \(own)), "
        + "inserted AS (INSERT INTO \(insertion.table) (\(columns)) SELECT \(columns) FROM excluded "
        + "WHERE NOT EXISTS (SELECT 1 FROM changed) RETURNING \(list)) "
        + "SELECT \(list) FROM changed UNION ALL SELECT \(list) FROM inserted"
    }

    /// True if a rule applies to both the existing and the new row, and the rows are equal in the rule's columns.
    private func isMet(_ rule: UniquenessRule, in table: String) -> String {
      var tests = rule.columns.map { column in
        let sides = [table, "excluded"].map { indexed("\($0).\(column.name)", format: column.format) }
        return "\(sides[0]) = \(sides[1])"
      }
      if let test = rule.test {
        let rows = [table, "excluded"].map { "(SELECT \(test) FROM (SELECT \($0).*) AS _osd_r)" }
        tests += rows
      }
      return tests.joined(separator: " AND ")
    }

    /// A random value that no row has, with 122 random bits or as many as the format's type allows.
    package func uniqueValue(for format: ColumnFormat) -> String {
      switch format {
      case .integer, .reference: "(-1 - floor(random() * 4e18))::int8"
      case .real: "-1e300 * (1 + random())"
      case .decimal: "-1e140 - floor(random() * 1e15)::numeric * 1000000 - floor(random() * 1e6)::numeric"
      case .text, .url: "gen_random_uuid()::text"
      case .blob: "uuid_send(gen_random_uuid())"
      case .json: "to_json(gen_random_uuid()::text)"
      }
    }

    // MARK: Literals

    package func literal(_ value: StoredValue) -> String {
      switch value {
      case .null: "NULL"
      // PostgreSQL parses a minus sign and then a number. The least integer without its sign exceeds the range by one.
      case .integer(let number): number == .min ? "'\(number)'::int8" : "\(number)"
      case .real(let number): "'\(Self.digits(of: number))'::float8"
      case .text(let text): Self.literal(ofText: text)
      case .blob(let data): "decode('\(data.hexadecimalDigits)', 'hex')"
      }
    }

    private static func digits(of number: Double) -> String {
      number.isNaN ? "NaN" : number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
    }

    /// A text literal without a cast: PostgreSQL derives its type from the context. No stored text has U+0000.
    private static func literal(ofText text: String) -> String {
      let backslash = UInt8(ascii: "\\")
      guard text.utf8.contains(backslash) else { return text.quoted(by: "'") }
      // In an E string, the meaning of backslashes does not depend on a setting. The code doubles bytes, not
      // characters, because Swift combines a backslash and a combining mark to one character.
      let doubled = text.utf8.flatMap { $0 == backslash ? [backslash, backslash] : [$0] }
      return "E" + String(decoding: doubled, as: UTF8.self).quoted(by: "'")
    }
  }
#endif
