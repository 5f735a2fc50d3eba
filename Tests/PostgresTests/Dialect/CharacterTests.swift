#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PersistenceSupport
  import PostgresSQL
  import PostgresSupport
  import SeededNumbers
  import Testing

  @testable import PostgresStore

  @Suite("Character boundaries in PostgreSQL and in Swift")
  struct PostgresCharacterTests {
    /// The scalars that the test compares with the server's character classes: all except surrogates and scalars of
    /// planes in which Unicode assigns nothing.
    private static let scalars = [1...0xD7FF, 0xE000...0x32000, 0xE0000...0xE1000] as [ClosedRange<UInt32>]

    private func members(of expression: String) throws -> Set<UInt32> {
      let connection = try TestCluster.shared.get().connect()
      var found: Set<UInt32> = []
      for range in Self.scalars {
        let result = try connection.run(
          PostgresStatement(
            "SELECT n FROM generate_series(\(range.lowerBound)::int8, \(range.upperBound)::int8) AS n "
              + "WHERE chr(n::int4) ~ '^[\(expression)]$'"))
        for row in 0..<result.rowCount { found.insert(UInt32(result.integer(row, 0) ?? 0)) }
      }
      return found
    }

    private static func characterCount(_ scalars: [Unicode.Scalar]) -> Int {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      return String(text).count
    }

    private static func scalars(where isMember: (Unicode.Scalar) -> Bool) -> Set<UInt32> {
      Set(Self.scalars.joined().filter { Unicode.Scalar($0).map(isMember) ?? false })
    }

    /// If this test fails because Swift's Unicode tables are newer, generate the classes of `CharacterBounds` again.
    @Test("the dialect's character classes contain the same scalars as the standard library's")
    func classes() throws {
      let joining = Self.scalars { Self.characterCount(["a", $0]) == 1 }
      let found = try members(of: CharacterBounds.joining)
      #expect(joining.subtracting(found).isEmpty)
      let isAssigned = { (value: UInt32) in Unicode.Scalar(value)?.properties.generalCategory != .unassigned }
      #expect(found.subtracting(joining).filter(isAssigned).isEmpty)
      let controls = Self.scalars { !joining.contains($0.value) && Self.characterCount([$0, "\u{301}"]) == 2 }
      #expect(try members(of: CharacterBounds.controls).symmetricDifference(controls).filter(isAssigned).isEmpty)
      let prepending = Self.scalars {
        !joining.contains($0.value) && !controls.contains($0.value) && Self.characterCount([$0, "a"]) == 1
      }
      #expect(try members(of: CharacterBounds.prepending).symmetricDifference(prepending).filter(isAssigned).isEmpty)
    }

    /// The scalars of the random texts. They are chosen so that each rule of character boundaries applies: marks,
    /// controls, regional indicators, Hangul letters, emoji, joiners, conjuncts, and marks that join the following
    /// scalar.
    private static let pieces: [Unicode.Scalar] = [
      "a", "e", "\u{301}", "\u{903}", "\r", "\n", "\u{2}", "\u{200B}", "\u{1F1E9}", "\u{1F1EA}", "\u{1F1EB}",
      "\u{1100}", "\u{1161}",
      "\u{11A8}", "\u{AC00}", "\u{AC01}", "\u{A960}", "\u{D7B0}", "\u{D7CB}", "\u{1F468}", "\u{1F3FD}", "\u{200D}",
      "\u{2764}",
      "\u{FE0F}", "\u{915}", "\u{94D}", "\u{937}", "\u{93C}", "\u{600}", "\u{D4E}", "\u{110BD}",
    ]

    /// Compares whole characters, as predicates do. Foundation's `contains` compares scalars.
    private static func contains<Whole: Collection, Part: Collection>(_ whole: Whole, _ part: Part) -> Bool
    where Whole.Element == Part.Element, Whole.Element: Equatable {
      whole.contains(part)
    }

    /// The random texts of `searches()` found this case.
    @Test("two consecutive zero-width joiners do not join emoji", arguments: ["", "\u{FE0F}"])
    func joiners(between: String) throws {
      let connection = try TestCluster.shared.get().connect()
      let dialect = PostgresDialect(namespace: "none")
      let heart = "\u{2764}"
      for (whole, part) in [
        ("\(heart)\u{200D}\(between)\u{200D}\(heart)", heart), ("\(heart)\(between)\u{200D}\(heart)", heart),
        ("\(heart)\u{200D}\(between)\u{200D}\(heart)", "\(heart)\u{200D}\(between)\u{200D}"),
        ("\(heart)\(between)\u{200D}\(heart)", "\(heart)\(between)\u{200D}"),
      ] {
        var parameters = PostgresParameters()
        try parameters.append(whole)
        try parameters.append(part)
        let sql = "SELECT (\(dialect.contains("$1::text COLLATE \"C\"", "$2::text COLLATE \"C\"")))::int4::int8"
        let found = try connection.run(PostgresStatement(sql, parameters)).integer(0, 0)
        #expect(found == (Self.contains(whole, part) ? 1 : 0), "\(whole.debugDescription), \(part.debugDescription)")
      }
    }

    @Test("a search finds a part only at character boundaries")
    func searches() throws {
      let seed = SeededGenerator.chosenSeed
      var random = SeededGenerator(seed: seed)
      func text(_ count: ClosedRange<Int>) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: count, using: &random) {
          if let piece = Self.pieces.randomElement(using: &random) { scalars.append(piece) }
        }
        return StoredText.form(of: String(scalars))
      }
      let connection = try TestCluster.shared.get().connect()
      let dialect = PostgresDialect(namespace: "none")
      let (whole, part) = ("$1::text COLLATE \"C\"", "$2::text COLLATE \"C\"")
      let sql =
        "SELECT (\(dialect.starts(whole, with: part)))::int4::int8, (\(dialect.contains(whole, part)))::int4::int8"
      for number in 0..<4_000 {
        let whole = text(1...7)
        // Half of the searched texts are taken from the whole text, so that they occur in it at least as scalars.
        let view = Array(whole.unicodeScalars)
        let start = Int.random(in: 0..<max(view.count, 1), using: &random)
        var slice = String.UnicodeScalarView()
        slice.append(contentsOf: view[start...].prefix(Int.random(in: 1...3, using: &random)))
        let part = number.isMultiple(of: 2) ? StoredText.form(of: String(slice)) : text(1...2)
        var parameters = PostgresParameters()
        try parameters.append(whole)
        try parameters.append(part)
        let result = try connection.run(PostgresStatement(sql, parameters))
        let words = "seed \(seed): \(whole.debugDescription), \(part.debugDescription)"
        #expect(result.integer(0, 0) == (whole.starts(with: part) ? 1 : 0), "starts \(words)")
        #expect(result.integer(0, 1) == (Self.contains(whole, part) ? 1 : 0), "contains \(words)")
      }
    }
  }
#endif
