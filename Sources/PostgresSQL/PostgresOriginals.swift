#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// What the column of a row's originals has: the values whose stored form differs from them (``OriginalNotes``), as JSON by the name of
  /// their column. The bytes of a value are written in hexadecimal digits, since a text of PostgreSQL's has no U+0000.
  ///
  /// Nearly every row has NULL there, which is read with the row, takes no place in it, and needs no look at anything else.
  package struct PostgresOriginals: OriginalsColumn {
    package let dialect: PostgresDialect

    package init(dialect: PostgresDialect) {
      self.dialect = dialect
    }

    package var column: String { dialect.quoted(DatabaseMapping.originalsColumn) }

    private func literal(_ text: String) -> String { dialect.literal(.text(text)) }

    private func list(_ names: [String]) -> String { "ARRAY[\(names.map(literal).joined(separator: ", "))]::text[]" }

    // MARK: What rows get

    package func replacing(_ columns: [String], with others: String?) -> String {
      // NULL has nothing to be taken away, and costs nothing.
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

    // MARK: What rows have

    /// A condition on a row: none of some columns has an original, so the columns themselves have the values.
    ///
    /// - Parameter columns: The columns; nil for all.
    package func lacking(_ columns: [String]?) -> String {
      columns.map { "(\(column)::jsonb ?| \(list($0))) IS NOT TRUE" } ?? "\(column) IS NULL"
    }

    /// Whether a column that has a value in its stored form may have another one, which is its original.
    package static func mayHide(_ column: ColumnMapping, behind value: QueryValue) -> Bool {
      switch value {
      case .null: false
      // That of a number is -0.0.
      case .real(let number): column.mayHaveOriginals && number == 0
      default: column.mayHaveOriginals
      }
    }

    /// What the column of originals has for one column, or NULL.
    package func value(of name: String) -> String { "\(column) ->> \(literal(name))" }

    // MARK: JSON

    /// The content of the column for originals by the names of their columns.
    package static func json(_ originals: [String: String]) throws -> String {
      try JSONText.encode(originals.mapValues { digits(of: $0) })
    }

    /// The originals by the names of their columns. What another program has put there, and is none, is left out.
    package static func originals(ofJSON text: String) -> [String: [UInt8]] {
      let found = try? JSONText.decode([String: String].self, from: text)
      return (found ?? [:]).compactMapValues { Self.bytes(ofDigits: $0) }
    }

    /// The bytes that a column of hexadecimal digits stands for; nil for what is none.
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
