import ConformanceSupport
import SwiftData
import Testing

@testable import PersistenceContext
@testable import PersistenceQueries

@Suite("Predicates at the limits")
struct ExtremePredicateTests {
  @Test("not-a-number as a decimal compares as in Foundation", arguments: Engine.allCases)
  func decimals(_ engine: Engine) throws {
    let world = try World(engine) { context in
      for price in [Decimal.nan, 0, 1, -1] {
        let person = Person("p")
        person.price = price
        context.insert(person)
      }
    }
    let (undefined, one) = (Decimal.nan, Decimal(1))
    try world.check(#Predicate<Person> { $0.price == undefined })
    try world.check(#Predicate<Person> { $0.price != undefined })
    try world.check(#Predicate<Person> { $0.price < one })
    try world.check(#Predicate<Person> { $0.price > one })
    try world.check(#Predicate<Person> { $0.price >= undefined })
    try world.check(#Predicate<Person> { $0.price <= undefined })
    try world.check(#Predicate<Person> { $0.price == $0.price })
  }

  @Test(
    "not-a-number as a decimal is sorted first, in the store and among pending models", arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let world = try World(engine) { context in
      for price in [Decimal(1), .nan, -1] {
        let person = Person("p")
        person.price = price
        context.insert(person)
      }
    }
    let context = world.store.context()
    let byPrice = FetchDescriptor<Person>(sortBy: [SortDescriptor(\.price)])
    #expect(try context.fetch(byPrice).map(\.price.description) == ["NaN", "-1", "1"])
    context.insert(Person("new"))
    #expect(try context.fetch(byPrice).map(\.price.description) == ["NaN", "-1", "0", "1"])
  }

  @Test("captured lists beyond the parameter limit of a statement are evaluated in memory", arguments: Engine.allCases)
  func lists(_ engine: Engine) throws {
    let world = try World(engine)
    for count in [64, 65, 90] {
      let many = Predicate<Person> { person in
        let age = Erased(PredicateExpressions.build_KeyPath(root: person, keyPath: \.age), "age")
        return (1..<count).reduce(contained(age, 0)) { tree, number in
          Erased(PredicateExpressions.build_Disjunction(lhs: tree, rhs: contained(age, number)), "")
        }
      }
      try world.check(many, "\(count)", inMemory: count > 64)
    }
  }

  private func contained(_ age: Erased<Int>, _ number: Int) -> Erased<Bool> {
    Erased(PredicateExpressions.SequenceContains(sequence: PredicateExpressions.build_Arg([number]), element: age), "")
  }
}
