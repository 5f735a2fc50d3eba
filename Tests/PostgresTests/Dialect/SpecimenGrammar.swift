#if PostgreSQL
  import Foundation
  import PersistenceCore
  import SeededNumbers

  /// A random predicate, and its description for error messages.
  struct SpecimenTest {
    let words: String
    let predicate: Predicate<Specimen>

    init(_ words: String, _ predicate: Predicate<Specimen>) {
      self.words = words
      self.predicate = predicate
    }
  }

  /// Generates random rows and predicates from values that are hard to store or to compare.
  struct SpecimenGrammar {
    var random: SeededGenerator

    static let texts = [
      "", "a", "A", "ab", "b", "e\u{301}", "\u{E9}", "e", "\u{E9}t\u{E9}", "et", "\u{301}", "\u{AC00}",
      "\u{AC00}\u{11A8}",
      "\u{1F468}\u{200D}\u{1F469}", "\u{1F468}", "\u{1F469}", "a\u{0}b", "\u{0}", "\u{1}", "\r\n", "\r", "\n",
      "it's 100%_\\",
      "[a](b)*", "\u{1F1E9}\u{1F1EA}", "\u{1F1EA}", "\u{1100}", "\u{1161}", "\u{11A8}", "\u{600}", "\u{915}", "\u{94D}",
      "\u{937}", "\u{212A}", "K", "k", "\u{3042}\u{3099}", "\u{3042}", "z", "\u{FFFD}", "\u{10FFFF}",
    ]
    static let reals: [Double] = [
      0, 1, -1, 0.1, 0.2, .nan, .infinity, -.infinity, 1e308, -1e308, .leastNonzeroMagnitude, 3.5, 1e-200, 1e200,
    ]
    static let sizes: [UInt64] = [0, 1, 7, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max]
    static let decimals =
      [
        "0", "1", "-1", "0.1", "0.10", "1.5", "-2.25", "99999999999999999999999999999999999999", "1e-100", "1e100",
        "NaN",
      ].compactMap { Decimal(string: $0) } + [.nan]
    static let tokens = (0..<3).map { UUID(uuid: ($0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255)) }
    static let chunks = [Data(), Data([0]), Data([0, 1, 255]), Data([255])]
    static let seconds: [Double] = [0, -1e9, 750_000_000.25, 1e10]

    mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func chance(_ one: Int) -> Bool { number(1...one) == 1 }

    mutating func some<Value>(_ values: [Value]) -> [Value] { values.filter { _ in chance(3) } }

    // MARK: Rows

    mutating func specimen(_ code: Int) -> Specimen {
      let specimen = Specimen(code)
      let (start, end) = (pick(Self.texts), pick(Self.texts))
      // For Swift the Kelvin sign U+212A equals the letter K, but it sorts "KK" after it. So texts with these letters
      // are not joined.
      let isOdd = (start + end).unicodeScalars.contains { $0 == "K" || $0 == "\u{212A}" }
      specimen.name = chance(3) && !isOdd ? start + end : start
      specimen.nickname = chance(3) ? nil : pick(Self.texts)
      specimen.count = number(-9...9)
      specimen.rest = chance(3) ? nil : number(-3...3)
      specimen.small = pick([.min, -1, 0, 5, .max])
      specimen.size = pick(Self.sizes)
      specimen.weight = pick(Self.reals)
      specimen.ratio = chance(3) ? nil : pick(Self.reals)
      specimen.share = pick([0.1, 0.3, 1, -2, .infinity])
      specimen.price = pick(Self.decimals)
      specimen.discount = chance(3) ? nil : pick(Self.decimals)
      specimen.isOpen = chance(2)
      specimen.isGood = chance(3) ? nil : chance(2)
      specimen.date = Date(timeIntervalSinceReferenceDate: pick(Self.seconds))
      specimen.token = pick(Self.tokens)
      specimen.bytes = pick(Self.chunks)
      specimen.maturity = pick(Maturity.allCases)
      specimen.tags = some(Self.texts)
      specimen.marks = (0..<number(0...4)).map { _ in number(-9...9) }
      for text in Self.texts where chance(9) { specimen.notes[text] = number(-2...2) }
      return specimen
    }

    // MARK: Predicates

    /// A random predicate and its description.
    mutating func test() -> SpecimenTest {
      switch number(0...6) {
      case 0, 1: textTest()
      case 2: integerTest()
      case 3: realTest()
      case 4: decimalTest()
      case 5: collectionTest()
      default: otherTest()
      }
    }

    private mutating func textTest() -> SpecimenTest {
      let (text, other, list) = (pick(Self.texts), pick(Self.texts), some(Self.texts))
      let words = "\(text.debugDescription), \(other.debugDescription), \(list)"
      return switch number(0...13) {
      case 0: SpecimenTest("name == \(words)", #Predicate { $0.name == text })
      case 1: SpecimenTest("name != \(words)", #Predicate { $0.name != text })
      case 2: SpecimenTest("name < \(words)", #Predicate { $0.name < text })
      case 3: SpecimenTest("name >= \(words)", #Predicate { $0.name >= text })
      case 4: SpecimenTest("name.contains \(words)", #Predicate { $0.name.contains(text) })
      case 5: SpecimenTest("name.starts \(words)", #Predicate { $0.name.starts(with: text) })
      case 6: SpecimenTest("nickname == \(words)", #Predicate { $0.nickname == text })
      case 7: SpecimenTest("nickname != \(words)", #Predicate { $0.nickname != text })
      case 8: SpecimenTest("nickname == nil", #Predicate { $0.nickname == nil })
      case 9: SpecimenTest("(nickname ?? b) <= a \(words)", #Predicate { ($0.nickname ?? other) <= text })
      case 10: SpecimenTest("nickname?.contains == true \(words)", #Predicate { $0.nickname?.contains(text) == true })
      case 11: SpecimenTest("list.contains(name) \(words)", #Predicate { list.contains($0.name) })
      case 12: SpecimenTest("name == (nickname ?? b) \(words)", #Predicate { $0.name == ($0.nickname ?? other) })
      default:
        SpecimenTest("name.contains(nickname ?? b) \(words)", #Predicate { $0.name.contains($0.nickname ?? other) })
      }
    }

    private mutating func integerTest() -> SpecimenTest {
      let (low, high, divisor) = (number(-5...3), number(3...9), pick([-3, -1, 2, 3]))
      let (size, small, list) = (pick(Self.sizes), pick([Int8.min, -1, 0, 5, .max]), [number(-3...3), number(-3...3)])
      let sizes = some(Self.sizes)
      let optionals: [Int?] = chance(2) ? [nil, low] : [low, high]
      let words = "low \(low) high \(high) divisor \(divisor) size \(size) small \(small) \(list) \(sizes) \(optionals)"
      return switch number(0...16) {
      case 0: SpecimenTest("count > low, \(words)", #Predicate { $0.count > low })
      case 1: SpecimenTest("rest == low, \(words)", #Predicate { $0.rest == low })
      case 2: SpecimenTest("rest != low, \(words)", #Predicate { $0.rest != low })
      case 3: SpecimenTest("(rest ?? high) < low, \(words)", #Predicate { ($0.rest ?? high) < low })
      case 4:
        SpecimenTest(
          "count + high * 2 > count * count, \(words)", #Predicate { $0.count + high * 2 > $0.count * $0.count })
      case 5: SpecimenTest("count / divisor >= low, \(words)", #Predicate { $0.count / divisor >= low })
      case 6: SpecimenTest("count % divisor == low, \(words)", #Predicate { $0.count % divisor == low })
      case 7: SpecimenTest("-count < low, \(words)", #Predicate { -$0.count < low })
      case 8: SpecimenTest("list.contains(count), \(words)", #Predicate { list.contains($0.count) })
      case 9: SpecimenTest("(low..<high).contains(count), \(words)", #Predicate { (low..<high).contains($0.count) })
      case 10: SpecimenTest("optionals.contains(rest), \(words)", #Predicate { optionals.contains($0.rest) })
      case 11: SpecimenTest("size > size, \(words)", #Predicate { $0.size > size })
      case 12: SpecimenTest("size == size, \(words)", #Predicate { $0.size == size })
      case 13: SpecimenTest("sizes.contains(size), \(words)", #Predicate { sizes.contains($0.size) })
      case 14: SpecimenTest("size / 2 < size, \(words)", #Predicate { $0.size / 2 < size })
      case 15: SpecimenTest("small >= small, \(words)", #Predicate { $0.small >= small })
      default:
        SpecimenTest(
          "(isOpen ? count : low) == (rest ?? high), \(words)",
          #Predicate { ($0.isOpen ? $0.count : low) == ($0.rest ?? high) })
      }
    }

    private mutating func realTest() -> SpecimenTest {
      let (real, other, share) = (pick(Self.reals), pick(Self.reals), pick([0.1, 0.3, 1, -2] as [Float]))
      let reals = some(Self.reals)
      let words = "\(real) \(other) share \(share) \(reals)"
      return switch number(0...13) {
      case 0: SpecimenTest("weight < \(words)", #Predicate { $0.weight < real })
      case 1: SpecimenTest("weight >= \(words)", #Predicate { $0.weight >= real })
      case 2: SpecimenTest("weight == \(words)", #Predicate { $0.weight == real })
      case 3: SpecimenTest("weight != \(words)", #Predicate { $0.weight != real })
      case 4: SpecimenTest("ratio == \(words)", #Predicate { $0.ratio == real })
      case 5: SpecimenTest("(ratio ?? b) == weight \(words)", #Predicate { ($0.ratio ?? other) == $0.weight })
      case 6: SpecimenTest("(ratio ?? b) > a \(words)", #Predicate { ($0.ratio ?? other) > real })
      case 7: SpecimenTest("weight * a > b \(words)", #Predicate { $0.weight * real > other })
      case 8: SpecimenTest("weight - a <= b \(words)", #Predicate { $0.weight - real <= other })
      case 9: SpecimenTest("a / weight == b \(words)", #Predicate { real / $0.weight == other })
      case 10: SpecimenTest("reals.contains(weight) \(words)", #Predicate { reals.contains($0.weight) })
      case 11: SpecimenTest("share * 3 > share \(words)", #Predicate { $0.share * 3 > share })
      case 12: SpecimenTest("weight + a != weight \(words)", #Predicate { $0.weight + real != $0.weight })
      default: SpecimenTest("reals.contains(ratio ?? b) \(words)", #Predicate { reals.contains($0.ratio ?? other) })
      }
    }

    private mutating func decimalTest() -> SpecimenTest {
      let (price, other, prices) = (pick(Self.decimals), pick(Self.decimals), some(Self.decimals))
      let (date, dates) = (Date(timeIntervalSinceReferenceDate: pick(Self.seconds)), pick(Self.seconds))
      let words = "\(price) \(other) \(prices) \(date) \(dates)"
      return switch number(0...8) {
      case 0: SpecimenTest("price < \(words)", #Predicate { $0.price < price })
      case 1: SpecimenTest("price == \(words)", #Predicate { $0.price == price })
      case 2: SpecimenTest("price != \(words)", #Predicate { $0.price != price })
      case 3: SpecimenTest("discount == \(words)", #Predicate { $0.discount == price })
      case 4: SpecimenTest("(discount ?? b) >= a \(words)", #Predicate { ($0.discount ?? other) >= price })
      case 5: SpecimenTest("prices.contains(price) \(words)", #Predicate { prices.contains($0.price) })
      case 6: SpecimenTest("date <= \(words)", #Predicate { $0.date <= date })
      case 7: SpecimenTest("date == \(words)", #Predicate { $0.date == date })
      default: SpecimenTest("date seconds > \(words)", #Predicate { $0.date.timeIntervalSinceReferenceDate > dates })
      }
    }

    private mutating func collectionTest() -> SpecimenTest {
      let (text, mark, count) = (pick(Self.texts), number(-9...9), number(0...3))
      let tags = some(Self.texts)
      // The two random texts may be equal, and equal keys in a dictionary literal are a runtime error.
      var numbers = [pick(Self.texts): number(0...3)]
      numbers[pick(Self.texts)] = number(0...3)
      let words = "\(text.debugDescription) mark \(mark) count \(count) \(tags) \(numbers)"
      return switch number(0...13) {
      case 0: SpecimenTest("tags.contains \(words)", #Predicate { $0.tags.contains(text) })
      case 1: SpecimenTest("tags.isEmpty", #Predicate { $0.tags.isEmpty })
      case 2: SpecimenTest("tags.count == \(words)", #Predicate { $0.tags.count == count })
      case 3: SpecimenTest("tags.first == \(words)", #Predicate { $0.tags.first == text })
      case 4: SpecimenTest("tags == \(words)", #Predicate { $0.tags == tags })
      case 5: SpecimenTest("marks.contains \(words)", #Predicate { $0.marks.contains(mark) })
      case 6: SpecimenTest("marks.allSatisfy > \(words)", #Predicate { $0.marks.allSatisfy { $0 > mark } })
      case 7:
        SpecimenTest("marks.contains { > count } \(words)", #Predicate { one in one.marks.contains { $0 > one.count } })
      case 8: SpecimenTest("(marks.max() ?? 0) > \(words)", #Predicate { ($0.marks.max() ?? 0) > mark })
      case 9: SpecimenTest("notes[text] == count \(words)", #Predicate { $0.notes[text] == count })
      case 10: SpecimenTest("notes[text] == nil \(words)", #Predicate { $0.notes[text] == nil })
      case 11: SpecimenTest("numbers[name] == count \(words)", #Predicate { numbers[$0.name] == count })
      case 12:
        SpecimenTest("tags.contains { contains } \(words)", #Predicate { $0.tags.contains { $0.contains(text) } })
      default: SpecimenTest("notes.count == \(words)", #Predicate { $0.notes.count == count })
      }
    }

    private mutating func otherTest() -> SpecimenTest {
      let (token, tokens, chunk, count) = (pick(Self.tokens), some(Self.tokens), pick(Self.chunks), number(0...3))
      let maturity = pick(Maturity.allCases)
      return switch number(0...10) {
      case 0: SpecimenTest("isOpen", #Predicate { $0.isOpen })
      case 1: SpecimenTest("!isOpen", #Predicate { !$0.isOpen })
      case 2: SpecimenTest("isGood == true", #Predicate { $0.isGood == true })
      case 3: SpecimenTest("isGood != false", #Predicate { $0.isGood != false })
      case 4: SpecimenTest("token == \(token)", #Predicate { $0.token == token })
      case 5: SpecimenTest("tokens.contains \(tokens)", #Predicate { tokens.contains($0.token) })
      case 6: SpecimenTest("bytes == \(Array(chunk))", #Predicate { $0.bytes == chunk })
      case 7: SpecimenTest("bytes.count > \(count)", #Predicate { $0.bytes.count > count })
      case 8: SpecimenTest("maturity == \(maturity)", #Predicate { $0.maturity == maturity })
      case 9: SpecimenTest("isOpen == (count > rest ?? 0)", #Predicate { $0.isOpen == ($0.count > ($0.rest ?? 0)) })
      default: SpecimenTest("isGood ?? isOpen", #Predicate { $0.isGood ?? $0.isOpen })
      }
    }
  }
#endif
