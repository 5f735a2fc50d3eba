#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// Text searches that find what Swift finds (``CharacterBounds``). In most ASCII texts every scalar is a character,
  /// so the scalars next to a match need no test.
  extension PostgresDialect {
    package func starts(_ text: String, with prefix: String) -> String {
      // `starts_with` compares the prefix, so the regular expression only tests the scalar after the prefix.
      let next = "substr(\(text), char_length(\(prefix)) + 1, 1)"
      return "(\(prefix) = '' OR (starts_with(\(text), \(prefix)) AND (\(next) = '' OR ('x' || \(next)) ~ "
        + "\(CharacterBounds.pattern(prefix, isPrefix: true)))))"
    }

    package func contains(_ text: String, _ part: String) -> String {
      let isPlain =
        "octet_length(\(text)) = char_length(\(text)) AND strpos(\(text), chr(13)) = 0 AND strpos(\(text), chr(1)) = 0"
      return "CASE WHEN \(part) = '' THEN \(text) IS NOT NULL WHEN strpos(\(text), \(part)) = 0 THEN FALSE "
        + "WHEN \(isPlain) THEN TRUE ELSE \(text) ~ \(CharacterBounds.pattern(part, isPrefix: false)) END"
    }

    // PostgreSQL cannot reproduce the results of these Foundation functions. Nil means: evaluate in memory.

    package func characterCount(_ text: String) -> String? { nil }

    package func collated(_ expression: String, by order: TextOrder) -> String? { nil }

    package func containsLocalized(_ text: String, _ part: String) -> String? { nil }

    package func containsRegex(_ text: String, _ expression: String) -> String? { nil }

    package func comparison(_ comparison: TextComparison, _ lhs: String, _ rhs: String) -> String? { nil }
  }
#endif
