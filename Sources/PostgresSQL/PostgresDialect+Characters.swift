#if PostgreSQL
  /// Regular expressions with which PostgreSQL finds a text only at the character boundaries of Swift.
  ///
  /// Swift searches by characters, PostgreSQL by scalars. If PostgreSQL finds the searched text (the part), the scalars
  /// before and after the match decide whether Swift finds it too. For example, a combining mark after the match
  /// changes its last character. The character boundaries inside the match need no test: if the match starts at a
  /// character boundary, they are the same as in the part.
  ///
  /// The classes of scalars match the toolchain's standard library; `PostgresCharacterTests` compares them.
  package enum CharacterBounds {
    /// A subquery that computes the regular expression for a part. If the part is a parameter, PostgreSQL evaluates the
    /// subquery once for all rows.
    package static func pattern(_ part: String, isPrefix: Bool) -> String {
      let start = isPrefix ? "'^x'" : "\(start(of: part)) || \(escaped(part))"
      return "(SELECT \(start) || \(end(of: part)) FROM (SELECT '\(joining)' AS j OFFSET 0) AS _osd_s)"
    }

    private static func escaped(_ part: String) -> String {
      #"regexp_replace(\#(part), '[][\\.*+?^$(){}|]', '\\\&', 'g')"#
    }

    // MARK: Ends

    /// The SQL of a lookbehind: no scalar before the part may form one character with the part's first scalar.
    private static func start(of part: String) -> String {
      "CASE WHEN \(part) ~ ('^[' || _osd_s.j || ']') THEN '(?<![^\(controls)])' "
        + #"WHEN left(\#(part), 1) = chr(10) THEN '(?<!\r)' "#
        // An escape (StoredText) is U+0001 with U+0001 or U+0002. The number of U+0001 right before its start is even.
        + #"WHEN \#(part) ~ '^[\u0001\u0002]' THEN '(?<=(?:^|[^\u0001])(?:\u0001\u0001)*)' "#
        + "WHEN \(part) ~ '^[\(controls)]' THEN '' ELSE '(?<![\(prepending)])' || \(exceptions(before: part)) END"
    }

    /// Further lookbehinds, for a part that starts with a flag, a Hangul letter, a pictograph or an Indic consonant.
    private static func exceptions(before part: String) -> String {
      "CASE WHEN \(part) ~ '^[\(flags)]' THEN '(?<=(?:^|[^\(flags)])(?:[\(flags)][\(flags)])*)' "
        + "WHEN \(part) ~ '^[\(leading)\(syllables)]' THEN '(?<![\(leading)])' "
        + "WHEN \(part) ~ '^[\(vowels)]' THEN '(?<![\(leading)\(vowels)' || \(openSyllables) || '])' "
        + "WHEN \(part) ~ '^[\(trailing)]' THEN '(?<![\(vowels)\(trailing)\(syllables)])' "
        + #"WHEN \#(part) ~ '^[\#(pictures)]' THEN '(?<![\#(pictures)][' || \#(marks) || ']*\u200D)' "#
        + "WHEN \(part) ~ '^[\(consonants)]' THEN '(?<![\(consonants)][' || _osd_s.j || ']*[\(linkers)][' || _osd_s.j "
        + "|| ']*)' ELSE '' END"
    }

    /// The SQL of a lookahead: no scalar after the part may form one character with the part's last scalar.
    private static func end(of part: String) -> String {
      #"CASE WHEN right(\#(part), 1) = chr(13) THEN '(?!\n)' "#
        + "WHEN \(part) ~ '[\(controls)]$' THEN '' WHEN \(part) ~ '[\(prepending)]$' THEN '(?![^\(controls)])' "
        + "ELSE '(?![' || _osd_s.j || \(exceptions(behind: part)) || '])' END"
    }

    /// Scalars that must not follow certain last scalars of a part, such as a Hangul vowel after a leading consonant.
    private static func exceptions(behind part: String) -> String {
      let isOpen = "(ascii(right(\(part), 1)) - 44032) % 28 = 0"
      return "CASE WHEN \(part) ~ '(?:^|[^\(flags)])(?:[\(flags)][\(flags)])*[\(flags)]$' THEN '\(flags)' "
        + "WHEN \(part) ~ '[\(leading)]$' THEN '\(leading)\(vowels)\(syllables)' "
        + "WHEN \(part) ~ '[\(vowels)]$' OR (\(part) ~ '[\(syllables)]$' AND \(isOpen)) THEN '\(vowels)\(trailing)' "
        + "WHEN \(part) ~ '[\(trailing)\(syllables)]$' THEN '\(trailing)' "
        + #"WHEN \#(part) ~ ('[\#(pictures)][' || \#(marks) || ']*\u200D$') THEN '\#(pictures)' "#
        + "WHEN \(part) ~ ('[\(consonants)][' || _osd_s.j || ']*[\(linkers)][' || _osd_s.j || ']*$') THEN '\(consonants)' "
        + "ELSE '' END"
    }

    // MARK: Classes

    /// Control scalars, each a character of its own. U+0001 and U+0002, the halves of escapes, are among them.
    package static let controls =
      #"\u0001-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF"#
      + #"\uFFF0-\uFFFB\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E001F"#
      + #"\U000E0080-\U000E00FF\U000E01F0-\U000E0FFF"#

    /// Scalars that form one character with the scalar after them.
    package static let prepending =
      #"\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u0D4E\U000110BD\U000110CD\U000111C2\U000111C3\U000113D1"#
      + #"\U0001193F\U00011941\U00011A84-\U00011A89\U00011D46\U00011F02"#

    /// Regional indicators, of which two form a flag.
    private static let flags = #"\U0001F1E6-\U0001F1FF"#

    /// Hangul letters: leading consonants, vowels and trailing consonants.
    private static let leading = #"\u1100-\u115F\uA960-\uA97C"#
    private static let vowels = #"\u1160-\u11A7\uD7B0-\uD7C6"#
    private static let trailing = #"\u11A8-\u11FF\uD7CB-\uD7FB"#
    private static let syllables = #"\uAC00-\uD7A3"#
    /// Hangul syllables without a trailing consonant.
    private static let openSyllables =
      "(SELECT string_agg(chr(44032 + 28 * _osd_n), '') FROM generate_series(0, 398) AS _osd_n)"

    /// The joining scalars without the zero-width joiner, since two consecutive joiners do not combine pictographs.
    private static let marks = #"replace(_osd_s.j, '\u200D', '')"#

    /// Pictographs, which a zero-width joiner (U+200D) combines. The ranges also contain symbols between pictographs.
    private static let pictures =
      #"\u00A9\u00AE\u203C\u2049\u2122\u2139\u2194-\u21AA\u231A-\u23FA\u24C2\u25AA-\u27BF\u2934\u2935"#
      + #"\u2B05-\u2B55\u3030\u303D\u3297\u3299\U0001F004-\U0001F0FF\U0001F170-\U0001F1E5\U0001F201-\U0001F3FA"#
      + #"\U0001F400-\U0001FAFF"#

    /// Consonants of Indic scripts. Two consonants with a linker between them form one character.
    private static let consonants =
      #"\u0915-\u0939\u0958-\u095F\u0978-\u097F\u0995-\u09B9\u09DC-\u09DF\u09F0\u09F1\u0A95-\u0AB9\u0AF9"#
      + #"\u0B15-\u0B39\u0B5C-\u0B5F\u0B71\u0C15-\u0C39\u0C58-\u0C5A\u0D15-\u0D3A"#
    private static let linkers = #"\u094D\u09CD\u0ACD\u0B4D\u0C4D\u0D4D"#

    /// Scalars that form one character with the scalar before them. The ranges also contain unassigned scalars.
    package static let joining: String =
      #"\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F"#
      + #"\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u0711\u0730-\u074A\u07A6-\u07B0\u07EB-\u07F3"#
      + #"\u07FD\u0816-\u0819\u081B-\u0823\u0825-\u0827\u0829-\u082D\u0859-\u085B\u0897-\u089F\u08CA-\u08E1"#
      + #"\u08E3-\u0903\u093A-\u093C\u093E-\u094F\u0951-\u0957\u0962\u0963\u0981-\u0983\u09BC\u09BE-\u09CD\u09D7"#
      + #"\u09E2\u09E3\u09FE-\u0A03\u0A3C-\u0A51\u0A70\u0A71\u0A75\u0A81-\u0A83\u0ABC\u0ABE-\u0ACD\u0AE2\u0AE3"#
      + #"\u0AFA-\u0B03\u0B3C\u0B3E-\u0B57\u0B62\u0B63\u0B82\u0BBE-\u0BCD\u0BD7\u0C00-\u0C04\u0C3C\u0C3E-\u0C56"#
      + #"\u0C62\u0C63\u0C81-\u0C83\u0CBC\u0CBE-\u0CD6\u0CE2\u0CE3\u0CF3-\u0D03\u0D3B\u0D3C\u0D3E-\u0D4D\u0D57"#
      + #"\u0D62\u0D63\u0D81-\u0D83\u0DCA-\u0DDF\u0DF2\u0DF3\u0E31\u0E33-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB3-\u0EBC"#
      + #"\u0EC8-\u0ECE\u0F18\u0F19\u0F35\u0F37\u0F39\u0F3E\u0F3F\u0F71-\u0F84\u0F86\u0F87\u0F8D-\u0FBC\u0FC6"#
      + #"\u102D-\u1037\u1039-\u103E\u1056-\u1059\u105E-\u1060\u1071-\u1074\u1082\u1084-\u1086\u108D\u109D"#
      + #"\u135D-\u135F\u1712-\u1715\u1732-\u1734\u1752\u1753\u1772\u1773\u17B4-\u17D3\u17DD\u180B-\u180D\u180F"#
      + #"\u1885\u1886\u18A9\u1920-\u193B\u1A17-\u1A1B\u1A55-\u1A60\u1A62\u1A65-\u1A7F\u1AB0-\u1B04\u1B34-\u1B44"#
      + #"\u1B6B-\u1B73\u1B80-\u1B82\u1BA1-\u1BAD\u1BE6-\u1BF3\u1C24-\u1C37\u1CD0-\u1CD2\u1CD4-\u1CE8\u1CED\u1CF4"#
      + #"\u1CF7-\u1CF9\u1DC0-\u1DFF\u200C\u200D\u20D0-\u20F0\u2CEF-\u2CF1\u2D7F\u2DE0-\u2DFF\u302A-\u302F"#
      + #"\u3099\u309A\uA66F-\uA672\uA674-\uA67D\uA69E\uA69F\uA6F0\uA6F1\uA802\uA806\uA80B\uA823-\uA827\uA82C"#
      + #"\uA880\uA881\uA8B4-\uA8C5\uA8E0-\uA8F1\uA8FF\uA926-\uA92D\uA947-\uA953\uA980-\uA983\uA9B3-\uA9C0\uA9E5"#
      + #"\uAA29-\uAA36\uAA43\uAA4C\uAA4D\uAA7C\uAAB0\uAAB2-\uAAB4\uAAB7\uAAB8\uAABE\uAABF\uAAC1\uAAEB-\uAAEF"#
      + #"\uAAF5\uAAF6\uABE3-\uABEA\uABEC\uABED\uFB1E\uFE00-\uFE0F\uFE20-\uFE2F\uFF9E\uFF9F\U000101FD\U000102E0"#
      + #"\U00010376-\U0001037A\U00010A01-\U00010A0F\U00010A38-\U00010A3F\U00010AE5\U00010AE6\U00010D24-\U00010D27"#
      + #"\U00010D69-\U00010D6D\U00010EAB\U00010EAC\U00010EFA-\U00010EFF\U00010F46-\U00010F50\U00010F82-\U00010F85"#
      + #"\U00011000-\U00011002\U00011038-\U00011046\U00011070\U00011073\U00011074\U0001107F-\U00011082"#
      + #"\U000110B0-\U000110BA\U000110C2\U00011100-\U00011102\U00011127-\U00011134\U00011145\U00011146\U00011173"#
      + #"\U00011180-\U00011182\U000111B3-\U000111C0\U000111C9-\U000111CC\U000111CE\U000111CF\U0001122C-\U00011237"#
      + #"\U0001123E\U00011241\U000112DF-\U000112EA\U00011300-\U00011303\U0001133B\U0001133C\U0001133E-\U0001134D"#
      + #"\U00011357\U00011362-\U00011374\U000113B8-\U000113D0\U000113D2\U000113E1\U000113E2\U00011435-\U00011446"#
      + #"\U0001145E\U000114B0-\U000114C3\U000115AF-\U000115C0\U000115DC\U000115DD\U00011630-\U00011640"#
      + #"\U000116AB-\U000116B7\U0001171D-\U0001171F\U00011722-\U0001172B\U0001182C-\U0001183A"#
      + #"\U00011930-\U0001193E\U00011940\U00011942\U00011943\U000119D1-\U000119E0\U000119E4\U00011A01-\U00011A0A"#
      + #"\U00011A33-\U00011A39\U00011A3B-\U00011A3E\U00011A47\U00011A51-\U00011A5B\U00011A8A-\U00011A99"#
      + #"\U00011B60-\U00011B67\U00011C2F-\U00011C3F\U00011C92-\U00011CB6\U00011D31-\U00011D45\U00011D47"#
      + #"\U00011D8A-\U00011D97\U00011EF3-\U00011EF6\U00011F00\U00011F01\U00011F03\U00011F34-\U00011F42\U00011F5A"#
      + #"\U00013440\U00013447-\U00013455\U0001611E-\U0001612F\U00016AF0-\U00016AF4\U00016B30-\U00016B36\U00016F4F"#
      + #"\U00016F51-\U00016F92\U00016FE4-\U00016FF1\U0001BC9D\U0001BC9E\U0001CF00-\U0001CF46\U0001D165-\U0001D169"#
      + #"\U0001D16D-\U0001D172\U0001D17B-\U0001D182\U0001D185-\U0001D18B\U0001D1AA-\U0001D1AD"#
      + #"\U0001D242-\U0001D244\U0001DA00-\U0001DA36\U0001DA3B-\U0001DA6C\U0001DA75\U0001DA84\U0001DA9B-\U0001DAAF"#
      + #"\U0001E000-\U0001E02A\U0001E08F\U0001E130-\U0001E136\U0001E2AE\U0001E2EC-\U0001E2EF\U0001E4EC-\U0001E4EF"#
      + #"\U0001E5EE\U0001E5EF\U0001E6E3\U0001E6E6\U0001E6EE\U0001E6EF\U0001E6F5\U0001E8D0-\U0001E8D6"#
      + #"\U0001E944-\U0001E94A\U0001F3FB-\U0001F3FF\U000E0020-\U000E007F\U000E0100-\U000E01EF"#
  }
#endif
