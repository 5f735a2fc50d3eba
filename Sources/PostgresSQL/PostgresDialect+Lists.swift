#if PostgreSQL
  import PersistenceRuntime
  import SQLEngine

  /// Lists in SQL are PostgreSQL arrays: a list parameter is bound as an array, and a JSON column is converted to one.
  extension PostgresDialect {
    package func elements(ofList list: String, format: ColumnFormat, as alias: String) -> String {
      "unnest(\(list)) AS \(alias) (element)"
    }

    package func elementValue(of alias: String) -> String { "\(alias).element" }

    /// PostgreSQL's array indices start at 1, `index` at 0. The element is NULL if the index is out of range.
    package func element(ofList list: String, format: ColumnFormat, at index: String) -> String {
      "(\(list))[least(greatest(\(index), -1), 2147483646)::int4 + 1]"
    }

    package func value(
      besideKey key: String, inList keys: String, values: String, formats: (key: ColumnFormat, value: ColumnFormat)
    ) -> String {
      let known = formats.key == .json ? form(ofJSON: "_osd_p.k") : "_osd_p.k"
      return "(SELECT _osd_p.v FROM unnest(\(keys), \(values)) AS _osd_p (k, v) WHERE \(known) = \(key) LIMIT 1)"
    }

    // MARK: JSON

    package func form(ofJSON text: String) -> String { #"normalize(\#(text)::text, NFC) COLLATE "C""# }

    /// The elements of a JSON array, or the values of a JSON object, which represents a dictionary.
    package func elements(ofJSON text: String, _ form: ElementForm) -> String {
      let json = Self.extractable(text)
      let element = Self.element("_osd_e.v", form)
      return "CASE WHEN \(text) IS NOT NULL THEN CASE json_typeof(\(text)) WHEN 'object' THEN "
        + "ARRAY(SELECT \(element) FROM json_each_text(\(json)) WITH ORDINALITY AS _osd_e (k, v, n) ORDER BY _osd_e.n) ELSE "
        + "ARRAY(SELECT \(element) FROM json_array_elements_text(\(json)) WITH ORDINALITY AS _osd_e (v, n) ORDER BY _osd_e.n)"
        + " END END"
    }

    package func value(ofJSON text: String, forKey key: String, _ form: ElementForm) -> String {
      let known = #"normalize(_osd_e.k, NFC) COLLATE "C""#
      return
        "(SELECT \(Self.element("_osd_e.v", form)) FROM json_each_text(\(Self.extractable(text))) AS _osd_e (k, v) "
        + "WHERE \(known) = \(key) LIMIT 1)"
    }

    /// JSON in which U+0000 and U+0001 are replaced by the escapes of stored texts. PostgreSQL cannot extract U+0000.
    private static func extractable(_ text: String) -> String {
      // An escape begins at a backslash that is not itself escaped.
      let start = #"(?<!\\)((?:\\\\)*)\\u000"#
      return
        "CASE WHEN strpos(\(text)::text, '\\u000') = 0 THEN \(text) ELSE regexp_replace(regexp_replace(\(text)::text, "
        + #"'\#(start)1', '\1\\u0001\\u0002', 'g'), '\#(start)0', '\1\\u0001\\u0001', 'g')::json END"#
    }

    /// Casts the text of a JSON element to the SQL type of a column with values of the same type.
    private static func element(_ text: String, _ form: ElementForm) -> String {
      switch form {
      // Unsigned integers can exceed `Int64.max`.
      case .integer: "\(text)::numeric"
      case .boolean: "CASE \(text) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END::int8"
      case .double: "\(text)::float8"
      case .float: "\(text)::float4::float8"
      case .text: #"normalize(\#(text), NFC) COLLATE "C""#
      case .identifier: "decode(replace(\(text), '-', ''), 'hex')"
      case .data: "decode(\(text), 'base64')"
      }
    }
  }
#endif
