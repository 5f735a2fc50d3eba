import ConformanceSupport
import SwiftData

@testable import PersistenceQueries

typealias Node = PredicateExpressions

/// Generates random predicates on people.
struct Grammar {
  var random: SeededGenerator

  static let texts = [
    "", "a", "A", "ab", "b", "e", "\u{E9}", "e\u{301}", "Emma", "emma", "K", "\u{212A}", "x\u{301}", "\r\n", "\n",
    "stra\u{DF}e",
    "\u{65E5}\u{672C}", "o\u{323}\u{302}", "\u{1ED9}", "z\0z", "%", ";", "\u{37E}", "I\u{307}",
    "\u{1F468}\u{200D}\u{1F469}",
  ]
  static let reals: [Double] = [
    0, -0.0, 1, -1, 0.1, 2.5, 1e300, -1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
  ]

  mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }

  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  func arg<Value: Codable & Sendable>(_ value: Value) -> Erased<Value> {
    Erased(Node.build_Arg(value), "\(value)".debugDescription)
  }

  func path<Root, Value>(
    _ root: Erased<Root>, _ keyPath: any KeyPath<Root, Value> & Sendable, _ name: String
  ) -> Erased<Value> {
    Erased(Node.build_KeyPath(root: root, keyPath: keyPath), "\(root.words).\(name)")
  }

  // MARK: Conditions

  mutating func condition(on person: Erased<Person>, depth: Int) -> Erased<Bool> {
    if depth <= 0 { return leaf(person, depth: 0) }
    switch number(0...11) {
    case 0...2: return and(condition(on: person, depth: depth - 1), condition(on: person, depth: depth - 1))
    case 3, 4: return or(condition(on: person, depth: depth - 1), condition(on: person, depth: depth - 1))
    case 5:
      let inner = condition(on: person, depth: depth - 1)
      return Erased(Node.build_Negation(inner), "!(\(inner.words))")
    case 6: return members(path(person, \.reports, "reports"), depth: depth)
    case 7: return projects(person, depth: depth)
    case 8: return bossCondition(person, depth: depth)
    case 9:
      let (test, yes, no) = (
        condition(on: person, depth: depth - 1), leaf(person, depth: depth - 1), leaf(person, depth: depth - 1)
      )
      return Erased(Node.build_Conditional(test, yes, no), "(\(test.words) ? \(yes.words) : \(no.words))")
    default: return leaf(person, depth: depth - 1)
    }
  }

  private func and(_ lhs: Erased<Bool>, _ rhs: Erased<Bool>) -> Erased<Bool> {
    Erased(Node.build_Conjunction(lhs: lhs, rhs: rhs), "(\(lhs.words) && \(rhs.words))")
  }

  private func or(_ lhs: Erased<Bool>, _ rhs: Erased<Bool>) -> Erased<Bool> {
    Erased(Node.build_Disjunction(lhs: lhs, rhs: rhs), "(\(lhs.words) || \(rhs.words))")
  }

  private mutating func leaf(_ person: Erased<Person>, depth: Int) -> Erased<Bool> {
    if chance(3) { return value(person) }
    switch number(0...16) {
    case 0...2: return comparison(integer(person, depth: depth), integer(person, depth: depth))
    case 3: return equality(integer(person, depth: depth), integer(person, depth: depth))
    case 4...5: return comparison(text(person, depth: depth), text(person, depth: depth))
    case 6: return equality(text(person, depth: depth), text(person, depth: depth))
    case 7: return comparison(real(person, depth: depth), real(person, depth: depth))
    case 8: return equality(real(person, depth: depth), real(person, depth: depth))
    case 9: return search(text(person, depth: depth), text(person, depth: depth))
    case 10: return nilTest(person)
    case 11: return optionalEquality(person)
    case 12: return captured(person, depth: depth)
    case 13: return tags(person)
    case 14: return path(person, \.isActive, "isActive")
    case 15: return level(person)
    default: return chance(6) ? untranslatable(person) : comparison(integer(person, depth: 0), arg(number(-5...9)))
    }
  }

  mutating func comparison<Value: Comparable>(_ lhs: Erased<Value>, _ rhs: Erased<Value>) -> Erased<Bool> {
    let (op, sign): (Node.ComparisonOperator, String) = pick([
      (.lessThan, "<"), (.lessThanOrEqual, "<="), (.greaterThan, ">"), (.greaterThanOrEqual, ">="),
    ])
    return Erased(Node.build_Comparison(lhs: lhs, rhs: rhs, op: op), "(\(lhs.words) \(sign) \(rhs.words))")
  }

  mutating func equality<Value: Equatable>(_ lhs: Erased<Value>, _ rhs: Erased<Value>) -> Erased<Bool> {
    chance(2)
      ? Erased(Node.build_Equal(lhs: lhs, rhs: rhs), "(\(lhs.words) == \(rhs.words))")
      : Erased(Node.build_NotEqual(lhs: lhs, rhs: rhs), "(\(lhs.words) != \(rhs.words))")
  }

  private mutating func search(_ lhs: Erased<String>, _ rhs: Erased<String>) -> Erased<Bool> {
    switch number(0...3) {
    case 0: Erased(Node.build_starts(lhs, with: rhs), "\(lhs.words).starts(with: \(rhs.words))")
    case 1:
      Erased(Node.build_localizedStandardContains(lhs, rhs), "\(lhs.words).localizedStandardContains(\(rhs.words))")
    default: Erased(contains(lhs, rhs), "\(lhs.words).contains(\(rhs.words))")
    }
  }

  private func contains(
    _ lhs: Erased<String>, _ rhs: Erased<String>
  ) -> Node.CollectionContainsCollection<Erased<String>, Erased<String>> {
    Node.CollectionContainsCollection(base: lhs, other: rhs)
  }

  private mutating func nilTest(_ person: Erased<Person>) -> Erased<Bool> {
    switch number(0...4) {
    case 0: equality(path(person, \.nickname, "nickname"), Erased(Node.build_NilLiteral(), "nil"))
    case 1: equality(path(person, \.rating, "rating"), Erased(Node.build_NilLiteral(), "nil"))
    case 2: equality(path(person, \.boss, "boss"), Erased(Node.build_NilLiteral(), "nil"))
    case 3: equality(path(person, \.team, "team"), Erased(Node.build_NilLiteral(), "nil"))
    default: equality(chain(person) { self.path($0, \.nickname, "nickname") }, Erased(Node.build_NilLiteral(), "nil"))
    }
  }

  /// An optional chain `boss?.x` to an optional property.
  func chain<Value>(_ person: Erased<Person>, _ body: (Erased<Person>) -> Erased<Value?>) -> Erased<Value?> {
    let boss = path(person, \.boss, "boss")
    var words = ""
    let node = Node.build_flatMap(boss) { variable in
      let inner = body(Erased(variable, "\(boss.words)?"))
      words = inner.words
      return inner
    }
    return Erased(node, words)
  }

  private mutating func optionalEquality(_ person: Erased<Person>) -> Erased<Bool> {
    switch number(0...2) {
    case 0: equality(path(person, \.nickname, "nickname"), arg(Optional(pick(Self.texts))))
    case 1: equality(path(person, \.rating, "rating"), arg(Optional(pick(Self.reals))))
    default: equality(chain(person) { self.path($0, \.nickname, "nickname") }, path(person, \.nickname, "nickname"))
    }
  }

  private mutating func captured(_ person: Erased<Person>, depth: Int) -> Erased<Bool> {
    switch number(0...3) {
    case 0:
      let (list, element) = (arg((0..<number(0...4)).map { _ in pick(Self.texts) }), text(person, depth: depth))
      return Erased(Node.SequenceContains(sequence: list, element: element), "\(list.words).contains(\(element.words))")
    case 1:
      let (list, element) = (arg((0..<number(0...4)).map { _ in number(-3...9) }), integer(person, depth: depth))
      return Erased(Node.SequenceContains(sequence: list, element: element), "\(list.words).contains(\(element.words))")
    case 2:
      let list: Erased<[String?]> = arg((0..<number(0...3)).map { _ in chance(3) ? nil : pick(Self.texts) })
      let element = path(person, \.nickname, "nickname")
      return Erased(Node.SequenceContains(sequence: list, element: element), "\(list.words).contains(\(element.words))")
    default:
      let list = arg((0..<number(0...4)).map { _ in number(-3...9) })
      var words = ""
      var copy = self
      let node = Node.build_contains(list) { variable in
        let test = copy.comparison(Erased(variable, "each"), copy.integer(person, depth: depth))
        words = test.words
        return test
      }
      self = copy
      return Erased(node, "\(list.words).contains { \(words) }")
    }
  }

  private mutating func tags(_ person: Erased<Person>) -> Erased<Bool> {
    let tags = path(person, \.tags, "tags")
    switch number(0...3) {
    case 0:
      let element = arg(pick(Self.texts))
      return Erased(Node.SequenceContains(sequence: tags, element: element), "\(tags.words).contains(\(element.words))")
    case 1: return path(tags, \.isEmpty, "isEmpty")
    case 2: return equality(path(tags, \.first, "first"), path(person, \.nickname, "nickname"))
    default:
      var words = ""
      var copy = self
      let node = Node.build_allSatisfy(tags) { variable in
        let test = copy.search(Erased(variable, "each"), copy.arg(copy.pick(Self.texts)))
        words = test.words
        return test
      }
      self = copy
      return Erased(node, "\(tags.words).allSatisfy { \(words) }")
    }
  }

  private mutating func level(_ person: Erased<Person>) -> Erased<Bool> {
    switch number(0...2) {
    case 0: equality(path(person, \.level, "level"), arg(pick(Level.allCases)))
    case 1: equality(path(person, \.rank, "rank"), arg(Optional(pick(Rank.allCases))))
    default: equality(path(path(person, \.address, "address"), \.city, "city"), arg(pick(Self.texts)))
    }
  }

  /// A condition that no store can evaluate, so that it is evaluated in memory.
  private mutating func untranslatable(_ person: Erased<Person>) -> Erased<Bool> {
    let name = path(person, \.name, "name")
    return equality(path(name, \.hashValue, "hashValue"), path(name, \.hashValue, "hashValue"))
  }

  // MARK: Relationships

  private mutating func members(_ people: Erased<[Person]>, depth: Int) -> Erased<Bool> {
    var words = ""
    var copy = self
    let isAll = chance(2)
    let body = { (variable: Node.Variable<Person>) -> Erased<Bool> in
      let test = copy.condition(on: Erased(variable, "p\(depth)"), depth: depth - 1)
      words = test.words
      return test
    }
    let node: Erased<Bool> =
      isAll ? Erased(Node.build_allSatisfy(people, body), "") : Erased(Node.build_contains(people, where: body), "")
    self = copy
    return Erased(node.node, "\(people.words).\(isAll ? "allSatisfy" : "contains") { \(words) }")
  }

  private mutating func projects(_ person: Erased<Person>, depth: Int) -> Erased<Bool> {
    let projects = chance(2) ? path(person, \.projects, "projects") : path(person, \.likes, "likes")
    if chance(4) { return path(projects, \.isEmpty, "isEmpty") }
    var words = ""
    var copy = self
    let node = Node.build_contains(projects) { variable in
      let effort = copy.path(Erased(variable, "project"), \.effort, "effort")
      let test = copy.comparison(effort, copy.integer(person, depth: 0))
      words = test.words
      return test
    }
    self = copy
    return Erased(node, "\(projects.words).contains { \(words) }")
  }

  /// A condition `boss.flatMap { … } ?? …`.
  private mutating func bossCondition(_ person: Erased<Person>, depth: Int) -> Erased<Bool> {
    let boss = path(person, \.boss, "boss")
    var words = ""
    var copy = self
    let node = Node.build_flatMap(boss) { variable in
      let test = copy.condition(on: Erased(variable, "b\(depth)"), depth: depth - 1)
      words = test.words
      return test
    }
    self = copy
    let optional = Erased<Bool?>(node, "\(boss.words).flatMap { \(words) }")
    let other = arg(chance(2))
    return Erased(Node.build_NilCoalesce(lhs: optional, rhs: other), "(\(optional.words) ?? \(other.words))")
  }

  // MARK: Values

  mutating func integer(_ person: Erased<Person>, depth: Int) -> Erased<Int> {
    switch number(0...(depth > 0 ? 11 : 5)) {
    case 0...2: return path(person, \.age, "age")
    case 3, 4: return arg(number(-5...9))
    case 5: return path(path(person, \.name, "name"), \.count, "count")
    case 6, 7: return calculation(person, depth: depth)
    case 8: return path(path(person, \.reports, "reports"), \.count, "count")
    case 9:
      let (age, other) = (bossAge(person), integer(person, depth: 0))
      return Erased(Node.build_NilCoalesce(lhs: age, rhs: other), "(\(age.words) ?? \(other.words))")
    case 10:
      let marks = path(person, \.marks, "marks")
      let extreme: Erased<Int?> =
        chance(2)
        ? Erased(Node.build_max(marks), "\(marks.words).max()") : Erased(Node.build_min(marks), "\(marks.words).min()")
      let other = arg(number(-5...9))
      return Erased(Node.build_NilCoalesce(lhs: extreme, rhs: other), "(\(extreme.words) ?? \(other.words))")
    default:
      let test = leaf(person, depth: 0)
      let (yes, no) = (integer(person, depth: 0), integer(person, depth: 0))
      return Erased(Node.build_Conditional(test, yes, no), "(\(test.words) ? \(yes.words) : \(no.words))")
    }
  }

  private func bossAge(_ person: Erased<Person>) -> Erased<Int?> {
    let boss = path(person, \.boss, "boss")
    return Erased(Node.build_flatMap(boss) { self.path(Erased($0, "boss"), \.age, "age") }, "\(boss.words)?.age")
  }

  private mutating func calculation(_ person: Erased<Person>, depth: Int) -> Erased<Int> {
    let (lhs, rhs) = (integer(person, depth: depth - 1), integer(person, depth: 0))
    let divisor = arg(pick([-3, -1, 2, 3, 7]))
    switch number(0...5) {
    case 0: return Erased(Node.build_Arithmetic(lhs: lhs, rhs: rhs, op: .add), "(\(lhs.words) + \(rhs.words))")
    case 1: return Erased(Node.build_Arithmetic(lhs: lhs, rhs: rhs, op: .subtract), "(\(lhs.words) - \(rhs.words))")
    case 2:
      return Erased(
        Node.build_Arithmetic(lhs: lhs, rhs: divisor, op: .multiply), "(\(lhs.words) * \(divisor.words))")
    case 3: return Erased(Node.build_Division(lhs: lhs, rhs: divisor), "(\(lhs.words) / \(divisor.words))")
    case 4: return Erased(Node.build_Remainder(lhs: lhs, rhs: divisor), "(\(lhs.words) % \(divisor.words))")
    default: return Erased(Node.build_UnaryMinus(lhs), "-(\(lhs.words))")
    }
  }

  mutating func text(_ person: Erased<Person>, depth: Int) -> Erased<String> {
    switch number(0...(depth > 0 ? 7 : 4)) {
    case 0...2: return path(person, \.name, "name")
    case 3, 4: return arg(pick(Self.texts))
    case 5:
      let (name, other) = (path(person, \.nickname, "nickname"), arg(pick(Self.texts)))
      return Erased(Node.build_NilCoalesce(lhs: name, rhs: other), "(\(name.words) ?? \(other.words))")
    case 6:
      let (name, other) = (chain(person) { self.path($0, \.nickname, "nickname") }, text(person, depth: 0))
      return Erased(Node.build_NilCoalesce(lhs: name, rhs: other), "(\(name.words) ?? \(other.words))")
    default:
      let test = leaf(person, depth: 0)
      let (yes, no) = (text(person, depth: 0), text(person, depth: 0))
      return Erased(Node.build_Conditional(test, yes, no), "(\(test.words) ? \(yes.words) : \(no.words))")
    }
  }

  private mutating func real(_ person: Erased<Person>, depth: Int) -> Erased<Double> {
    switch number(0...(depth > 0 ? 7 : 4)) {
    case 0...2: return path(person, \.score, "score")
    case 3, 4: return arg(pick(Self.reals))
    case 5:
      let (rating, other) = (path(person, \.rating, "rating"), real(person, depth: 0))
      return Erased(Node.build_NilCoalesce(lhs: rating, rhs: other), "(\(rating.words) ?? \(other.words))")
    case 6:
      let (lhs, rhs) = (real(person, depth: depth - 1), real(person, depth: 0))
      let (op, sign): (Node.ArithmeticOperator, String) = pick([(.add, "+"), (.subtract, "-"), (.multiply, "*")])
      return Erased(Node.build_Arithmetic(lhs: lhs, rhs: rhs, op: op), "(\(lhs.words) \(sign) \(rhs.words))")
    default:
      let (lhs, rhs) = (real(person, depth: depth - 1), real(person, depth: 0))
      return Erased(Node.build_Division(lhs: lhs, rhs: rhs), "(\(lhs.words) / \(rhs.words))")
    }
  }
}
