#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// The column with the originals of a row: values that differ from their stored form (``OriginalNotes``). It contains
  /// JSON with the bytes of each original in hexadecimal, by column name, since PostgreSQL texts cannot contain U+0000.
  ///
  /// In nearly every row the column is NULL, which uses no space. It is read with the row, without another query.
  package struct PostgresOriginals: OriginalsColumn {
    package let dialect: PostgresDialect

    package init(dialect: PostgresDialect) {
      self.dialect = dialect
    }

    package var column: String { dialect.quoted(DatabaseMapping.originalsColumn) }

    private func literal(_ text: String) -> String { dialect.literal(.text(text)) }

    private func list(_ names: [String]) -> String { "ARRAY[\(names.map(literal).joined(separator: ", "))]::text[]" }

    // MARK: Writing

    package func replacing(_ columns: [String], with others: String?) -> String {
      // For a row without originals the column is NULL, and so is the result of the operator `-`.
      let rest = "\(column)::jsonb - \(list(columns))"
      return Self.orNull(others.map { "coalesce(\(rest), '{}') || coalesce(\($0)::jsonb, '{}')" } ?? rest)
    }

    package func renamed(_ columns: [(old: String, new: String)]) -> String {
      guard !columns.isEmpty else { return "NULL::json" }
      let names = columns.map { "(\(literal($0.old)), \(literal($0.new)))" }.joined(separator: ", ")
      return "CASE WHEN \(column) IS NOT NULL THEN (SELECT json_object_agg(_osd_n.n, _osd_o.value) "
        + "FROM json_each(\(column)) AS _osd_o JOIN (VALUES \(names)) AS _osd_n (o, n) ON _osd_n.o = _osd_o.key) END"
    }

    package func adding(_ original: String, of name: String) -> String {
      let digits = Self.digits(of: original)
      return "(coalesce(\(column)::jsonb, '{}') || jsonb_build_object(\(literal(name))::text, '\(digits)'::text))::json"
    }

    private static func orNull(_ object: String) -> String { "nullif(\(object), '{}')::json" }

    // MARK: Reading

    /// True for a row without originals in the columns: these columns then contain the exact values.
    ///
    /// - Parameter columns: The columns; nil for all columns of the row.
    package func lacking(_ columns: [String]?) -> String {
      columns.map { "(\(column)::jsonb ?| \(list($0))) IS NOT TRUE" } ?? "\(column) IS NULL"
    }

    /// Returns true if a row may have another exact value (an original), although its column contains this value.
    package static func mayHide(_ column: ColumnMapping, behind value: QueryValue) -> Bool {
      switch value {
      case .null: false
      // The only number that differs from its stored form is -0.0.
      case .real(let number): column.mayHaveOriginals && number == 0
      default: column.mayHaveOriginals
      }
    }

    /// The original of one column in hexadecimal, or NULL if the column has none.
    package func value(of name: String) -> String { "\(column) ->> \(literal(name))" }

    // MARK: JSON

    /// Encodes originals by column name as the JSON of the originals column.
    package static func json(_ originals: [String: String]) throws -> String {
      try JSONText.encode(originals.mapValues { digits(of: $0) })
    }

    /// Decodes the originals by column name. Skips invalid entries, which another program may have written.
    package static func originals(ofJSON text: String) -> [String: [UInt8]] {
      let found = try? JSONText.decode([String: String].self, from: text)
      return (found ?? [:]).compactMapValues { Self.bytes(ofDigits: $0) }
    }

    /// The bytes that are written as hexadecimal digits; nil if the text is invalid.
    package static func bytes(ofDigits digits: String) -> [UInt8]? {
      let values = digits.unicodeScalars.compactMap { UInt8(String($0), radix: 16) }
      guard values.count.isMultiple(of: 2), values.count == digits.unicodeScalars.count else { return nil }
      return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    private static func digits(of original: String) -> String {
      Data(original.utf8).hexadecimalDigits
    }
  }
#endif
