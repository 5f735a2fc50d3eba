import ConformanceSupport
import SwiftData

@testable import PersistenceQueries

/// Generates conditions on values of other types than text, and on related rows.
extension Grammar {
  static let decimals = ["0", "1.5", "1.50", "-2", "0.1"].map { Decimal(string: $0) ?? 0 }
  static let seconds: [Double] = [0, 1, -1e6, 1e6 + 0.25]
  static let larges: [UInt64] = [0, 7, UInt64(Int64.max), .max - 1, .max]
  static let places = [Address(city: "a", zip: 0), Address(city: "\u{E9}", zip: 0), Address(city: "A", zip: 3)]
  private static let regexes: [(PredicateExpressions.PredicateRegex?, String)] = [
    (.init(/^[a-e]/), "/^[a-e]/"), (.init(/m+a$/), "/m+a$/"), (.init(/\W/), "/\\W/"),
  ]

  mutating func value(_ person: Erased<Person>) -> Erased<Bool> {
    switch number(0...19) {
    case 0: comparison(path(person, \.price, "price"), arg(pick(Self.decimals)))
    case 1: equality(calculated(path(person, \.price, "price")), arg(pick(Self.decimals)))
    case 2: comparison(path(person, \.born, "born"), arg(Date(timeIntervalSinceReferenceDate: pick(Self.seconds))))
    case 3: seconds(person)
    case 4: comparison(path(person, \.big, "big"), arg(pick(Self.larges)))
    case 5: comparison(path(person, \.small, "small"), arg(pick([Int8.min, -1, 0, 5, .max])))
    case 6: comparison(calculated(path(person, \.ratio, "ratio")), arg(pick([Float(0.1), 0.3, -1, 0])))
    case 7: path(path(person, \.score, "score"), \.isNaN, "isNaN")
    case 8: range(person)
    case 9: notes(person)
    case 10: elements(person)
    case 11: equality(path(person, \.address, "address"), arg(pick(Self.places)))
    case 12: equality(path(person, \.former, "former"), arg(chance(3) ? nil : pick(Self.places)))
    case 13: place(person)
    case 14: teamName(person)
    case 15: textOrder(person)
    case 16: regex(person)
    case 17: captured(person)
    case 18: pets(person)
    default: truth(person)
    }
  }

  private mutating func calculated<Number: Numeric & Codable & Sendable>(_ value: Erased<Number>) -> Erased<Number> {
    let (op, sign): (Node.ArithmeticOperator, String) = pick([(.add, "+"), (.subtract, "-"), (.multiply, "*")])
    let other = arg(Number(exactly: number(1...3)) ?? 0)
    return Erased(Node.build_Arithmetic(lhs: value, rhs: other, op: op), "(\(value.words) \(sign) \(other.words))")
  }

  private mutating func seconds(_ person: Erased<Person>) -> Erased<Bool> {
    let born = path(person, \.born, "born")
    return chance(2)
      ? comparison(
        path(born, \.timeIntervalSinceReferenceDate, "timeIntervalSinceReferenceDate"), arg(pick(Self.seconds)))
      : comparison(
        path(born, \.timeIntervalSince1970, "timeIntervalSince1970"), arg(978_307_200 + pick(Self.seconds)))
  }

  private mutating func range(_ person: Erased<Person>) -> Erased<Bool> {
    let (age, name, low) = (path(person, \.age, "age"), path(person, \.name, "name"), number(-5...3))
    let texts = (pick(Self.texts), pick(Self.texts))
    switch number(0...2) {
    case 0:
      let ages = arg(low...(low + number(0...6)))
      return Erased(Node.build_contains(ages, age), "\(ages.words).contains(\(age.words))")
    case 1:
      let names = arg(min(texts.0, texts.1)..<max(texts.0, texts.1))
      return Erased(Node.build_contains(names, name), "\(names.words).contains(\(name.words))")
    default:
      let (lower, upper) = (arg(low), arg(low + 4))
      return Erased(
        Node.build_contains(Node.build_Range(lower: lower, upper: upper), age), "(\(low)..<\(low + 4)).contains(age)")
    }
  }

  private mutating func notes(_ person: Erased<Person>) -> Erased<Bool> {
    let notes = path(person, \.notes, "notes")
    let key = arg(pick(Self.texts))
    switch number(0...3) {
    case 0: return equality(path(notes, \.count, "count"), arg(number(0...3)))
    case 1: return path(notes, \.isEmpty, "isEmpty")
    case 2:
      let found: Erased<Int?> = Erased(Node.build_subscript(notes, key), "\(notes.words)[\(key.words)]")
      return equality(found, arg(chance(3) ? nil : number(-2...2)))
    default:
      let found = Erased(
        Node.build_subscript(notes, key, default: arg(1)), "\(notes.words)[\(key.words), default: 1]")
      return comparison(found, arg(number(-2...2)))
    }
  }

  private mutating func elements(_ person: Erased<Person>) -> Erased<Bool> {
    let (tags, marks) = (path(person, \.tags, "tags"), path(person, \.marks, "marks"))
    switch number(0...3) {
    case 0: return equality(path(tags, \.first, "first"), arg(chance(3) ? nil : pick(Self.texts)))
    case 1:
      let element = Erased(Node.build_subscript(marks, arg(number(0...2))), "\(marks.words)[]")
      return comparison(element, arg(number(-3...9)))
    case 2:
      let part = arg(pick(Self.texts))
      let kept = Node.build_filter(tags) {
        Erased(Node.CollectionContainsCollection(base: Erased($0, "each"), other: part), "")
      }
      let filtered: Erased<[String]> = Erased(kept, "\(tags.words).filter { $0.contains(\(part.words)) }")
      return comparison(path(filtered, \.count, "count"), arg(number(0...2)))
    default:
      let least = arg(number(-3...9))
      let all = Node.build_allSatisfy(marks) { Node.build_Comparison(lhs: $0, rhs: least, op: .greaterThan) }
      return Erased(all, "\(marks.words).allSatisfy { $0 > \(least.words) }")
    }
  }

  private mutating func place(_ person: Erased<Person>) -> Erased<Bool> {
    let places = arg(Self.places.filter { _ in chance(2) })
    let address = path(person, \.address, "address")
    return Erased(
      Node.SequenceContains(sequence: places, element: address), "\(places.words).contains(\(address.words))")
  }

  private mutating func teamName(_ person: Erased<Person>) -> Erased<Bool> {
    let team = path(person, \.team, "team")
    let name = Erased<String?>(
      Node.build_flatMap(team) { path(Erased($0, "team"), \.name, "name") }, "\(team.words)?.name")
    return equality(name, arg(chance(4) ? nil : pick(Self.texts)))
  }

  private mutating func textOrder(_ person: Erased<Person>) -> Erased<Bool> {
    let (name, other) = (path(person, \.name, "name"), arg(pick(Self.texts)))
    let order = arg(pick([ComparisonResult.orderedAscending, .orderedSame, .orderedDescending]).rawValue)
    let result =
      chance(2)
      ? Erased(Node.build_caseInsensitiveCompare(name, other), "\(name.words).caseInsensitiveCompare(\(other.words))")
      : Erased(Node.build_localizedCompare(name, other), "\(name.words).localizedCompare(\(other.words))")
    return equality(path(result, \.rawValue, "rawValue"), order)
  }

  private mutating func regex(_ person: Erased<Person>) -> Erased<Bool> {
    let (regex, words) = pick(Self.regexes)
    let name = path(person, \.name, "name")
    guard let regex else { return path(person, \.isActive, "isActive") }
    return Erased(
      Node.StringContainsRegex(subject: name, regex: Erased(Node.build_Arg(regex), words)),
      "\(name.words).contains(\(words))")
  }

  private mutating func captured(_ person: Erased<Person>) -> Erased<Bool> {
    let numbers = Dictionary(Self.texts.filter { _ in chance(4) }.map { ($0, number(0...3)) }) { first, _ in first }
    let (dictionary, name) = (arg(numbers), path(person, \.name, "name"))
    let found: Erased<Int?> = Erased(Node.build_subscript(dictionary, name), "\(dictionary.words)[\(name.words)]")
    return equality(found, arg(chance(3) ? nil : number(0...3)))
  }

  private mutating func pets(_ person: Erased<Person>) -> Erased<Bool> {
    let pets = path(person, \.pets, "pets")
    if chance(2) {
      let isDog = Node.build_contains(pets) { Node.TypeCheck<Node.Variable<Animal>, Dog>($0) }
      return Erased(isDog, "\(pets.words).contains { $0 is Dog }")
    }
    let lives = arg(Int?.some(number(6...9)))
    let test = Node.build_contains(pets) { pet in
      let cat = Node.ConditionalCast<Node.Variable<Animal>, Cat>(pet)
      let own = Node.build_flatMap(cat) { path(Erased($0, "cat"), \.lives, "lives") }
      return Node.build_Equal(lhs: own, rhs: lives)
    }
    return Erased(test, "\(pets.words).contains { ($0 as? Cat)?.lives == \(lives.words) }")
  }

  /// A condition `… == true`, where `…` is an optional Bool.
  private mutating func truth(_ person: Erased<Person>) -> Erased<Bool> {
    let (nickname, part) = (path(person, \.nickname, "nickname"), arg(pick(Self.texts)))
    let starts = Node.build_flatMap(nickname) { Node.build_starts($0, with: part) }
    let optional = Erased<Bool?>(starts, "\(nickname.words)?.starts(with: \(part.words))")
    return equality(optional, arg(Bool?.some(chance(2))))
  }
}
