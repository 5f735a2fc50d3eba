#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import SQLEngine

  /// SQL for migrations: literals, defaults, and changes of tables that have rows.
  extension PostgresDialect {
    /// A literal of the column's SQL type. The engine passes some values in another form, such as `UInt64` as bytes.
    package func literal(_ value: StoredValue, of type: SQLParameterType) -> String {
      guard case .value(let format, let isUnsigned) = type else { return literal(value) }
      switch (format, value) {
      case (_, .null): return "NULL::\(parameterType(format, isUnsigned))"
      case (.integer, .blob(let data)) where data.count == 8:
        return "\(data.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })"
      case (.decimal, .text(let digits)):
        return digits == StoredDecimal.notANumber ? "'-Infinity'::numeric" : "\(literal(value))::numeric"
      case (.decimal, .integer(let number)): return "'\(number)'::numeric"
      // The engine interface passes not-a-number as text.
      case (.real, .text): return "'NaN'::float8"
      case (.real, .integer(let number)): return literal(.real(Double(number)))
      case (.json, .text): return "\(literal(value))::json"
      default: return literal(value)
      }
    }

    /// Never nil, since a DEFAULT clause of PostgreSQL accepts any constant expression.
    package func defaultLiteral(_ value: StoredValue, of type: SQLParameterType) -> String? { literal(value, of: type) }

    package var altersColumns: Bool { true }

    /// Converts a value to the bytes of its text (``PlainBytes``). Bytes stay unchanged.
    package func bytes(ofPlain value: String, _ type: SQLParameterType) -> String? {
      type.format == .blob ? value : "convert_to((\(value))::text, 'UTF8')"
    }

    package func plain(ofBytes bytes: String, _ type: SQLParameterType) -> String {
      guard case .value(let format, let isUnsigned) = type, format != .blob else { return bytes }
      return "convert_from(\(bytes), 'UTF8')::\(parameterType(format, isUnsigned))"
    }

    /// Drops the default after the column was added. Existing rows keep the value that the default gave them.
    package func removal(ofDefault column: String, in name: String) -> String? {
      "ALTER TABLE \(table(name)) ALTER COLUMN \(quoted(column)) DROP DEFAULT"
    }

    package func numbering(pairsIn name: String, from number: String) -> String? {
      "SELECT setval(\(sequence(ofPairsIn: name)), \(number), false)"
    }

    /// The sequence that numbers the rows of a link table.
    package func sequence(ofPairsIn name: String) -> String {
      "pg_get_serial_sequence(\(literal(.text(table(name)))), \(literal(.text(LinkTableMapping.keyColumn))))"
    }
  }
#endif
