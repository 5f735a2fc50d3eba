#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// Searches in texts.
  ///
  /// Swift finds characters, PostgreSQL scalars. Where the bytes of a part are found, what stands at both ends decides: a
  /// mark that belongs to the last character, for one, makes another character of it. ASCII needs no look.
  extension PostgresDialect {
    package func starts(_ text: String, with prefix: String) -> String {
      // The text before the end of the prefix is the prefix, so only the end is looked at.
      let next = "substr(\(text), char_length(\(prefix)) + 1, 1)"
      return "(\(prefix) = '' OR (starts_with(\(text), \(prefix)) AND (\(next) = '' OR ('x' || \(next)) ~ "
        + "('^x' || \(Self.end(of: prefix))))))"
    }

    package func contains(_ text: String, _ part: String) -> String {
      let isPlain =
        "octet_length(\(text)) = char_length(\(text)) AND strpos(\(text), chr(13)) = 0 AND strpos(\(text), chr(1)) = 0"
      let pattern = "(\(Self.start(of: part)) || \(Self.escaped(part)) || \(Self.end(of: part)))"
      return "CASE WHEN \(part) = '' THEN \(text) IS NOT NULL WHEN strpos(\(text), \(part)) = 0 THEN FALSE "
        + "WHEN \(isPlain) THEN TRUE ELSE \(text) ~ \(pattern) END"
    }

    // Nil for what PostgreSQL cannot say as Foundation does. The engine answers these in memory.

    package func characterCount(_ text: String) -> String? { nil }

    package func collated(_ expression: String, by order: TextOrder) -> String? { nil }

    package func containsLocalized(_ text: String, _ part: String) -> String? { nil }

    package func containsRegex(_ text: String, _ expression: String) -> String? { nil }

    package func comparison(_ comparison: TextComparison, _ lhs: String, _ rhs: String) -> String? { nil }

    // MARK: Ends of characters

    /// What a regular expression has before a part: nothing that its first scalar would join.
    private static func start(of part: String) -> String {
      "CASE WHEN \(part) ~ '^[\(joining)]' THEN '(?<![^\(controls)])' "
        + #"WHEN left(\#(part), 1) = chr(10) THEN '(?<!\r)' "#
        + #"WHEN \#(part) ~ '^[\#(pictures)]' THEN '(?<!\u200D)' "#
        // An escape is one character: an even number of halves is before it (StoredText).
        + #"WHEN \#(part) ~ '^[\u0001\u0002]' THEN '(?<=(?:^|[^\u0001])(?:\u0001\u0001)*)' ELSE '' END"#
    }

    /// What a regular expression has behind a part: nothing that would join its last scalar.
    private static func end(of part: String) -> String {
      #"CASE WHEN right(\#(part), 1) = chr(13) THEN '(?!\n)' "#
        + "WHEN \(part) ~ '[\(controls)]$' THEN '' ELSE '(?![\(joining)])' END"
    }

    private static func escaped(_ part: String) -> String {
      #"regexp_replace(\#(part), '[][\\.*+?^$(){}|]', '\\\&', 'g')"#
    }

    /// Controls end a character on both sides. U+0001 and U+0002 are halves of escapes, which are controls, too.
    private static let controls = #"\u0001-\u001F\u007F-\u009F\u200B\u200E\u200F\u2028-\u202E"#

    /// Pictures that a zero-width joiner joins to the one before it.
    private static let pictures = #"\u00A9\u00AE\u203C-\u3299\U0001F000-\U0001FAFF"#

    /// Scalars that belong to the character before them. Gaps between marks of one script are included.
    private static let joining: String =
      #"\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670"#
      + #"\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u0711\u0730-\u074A\u07A6-\u07B0\u07EB-\u07F3"#
      + #"\u0816-\u0819\u081B-\u0823\u0825-\u0827\u0829-\u082D\u0859-\u085B\u08CA-\u08E1\u08E3-\u0903"#
      + #"\u093A-\u093C\u093E-\u094F\u0951-\u0957\u0962\u0963\u0981-\u0983\u09BC\u09BE-\u09CD\u09D7"#
      + #"\u0A01-\u0A03\u0A3C-\u0A4D\u0A70\u0A71\u0A81-\u0A83\u0ABC\u0ABE-\u0ACD\u0B01-\u0B03\u0B3C\u0B3E-\u0B57"#
      + #"\u0B82\u0BBE-\u0BCD\u0C00-\u0C04\u0C3C-\u0C56\u0C81-\u0C83\u0CBC\u0CBE-\u0CD6\u0D00-\u0D03\u0D3B-\u0D4D"#
      + #"\u0DCA-\u0DDF\u0E31\u0E33-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB3-\u0EBC\u0EC8-\u0ECE\u0F35\u0F37\u0F39\u0F3E\u0F3F"#
      + #"\u0F71-\u0F84\u0F86\u0F87\u0F8D-\u0FBC\u1160-\u11FF\u135D-\u135F\u17B4-\u17D3\u180B-\u180D\u180F"#
      + #"\u1AB0-\u1ACE\u1B00-\u1B04\u1B34-\u1B44\u1DC0-\u1DFF\u200C\u200D\u20D0-\u20F0\u302A-\u302F\u3099\u309A"#
      + #"\uA66F-\uA672\uA674-\uA67D\uA69E\uA69F\uA8E0-\uA8F1\uFE00-\uFE0F\uFE20-\uFE2F\uFF9E\uFF9F"#
      + #"\U0001F3FB-\U0001F3FF\U000E0020-\U000E007F\U000E0100-\U000E01EF"#
  }
#endif
