#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// Searches in texts; see ``CharacterBounds``. A search in ASCII text needs no test of the scalars next to the part.
  extension PostgresDialect {
    package func starts(_ text: String, with prefix: String) -> String {
      // The text up to the end of the prefix equals the prefix, so only that end is tested.
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

    // PostgreSQL cannot match the results of these functions in Foundation. They return nil, and memory evaluates them.

    package func characterCount(_ text: String) -> String? { nil }

    package func collated(_ expression: String, by order: TextOrder) -> String? { nil }

    package func containsLocalized(_ text: String, _ part: String) -> String? { nil }

    package func containsRegex(_ text: String, _ expression: String) -> String? { nil }

    package func comparison(_ comparison: TextComparison, _ lhs: String, _ rhs: String) -> String? { nil }
  }
#endif
