import ConformanceSupport
import SwiftData
import Testing

private enum Whole {
  struct Size: Codable, Equatable {
    var width: Int
    var depth: Int?
    var count: UInt64
  }
  struct Crate: Codable, Equatable {
    var size: Size?
    var weight: Int16
  }
  @Model final class Box {
    var name: String
    var size: Size
    var crate: Crate?
    @Attribute(.codable) var spare: Size
    init(_ name: String, _ size: Size, _ crate: Crate? = nil) {
      (self.name, self.size, self.crate) = (name, size, crate)
      spare = Size(width: 6, depth: nil, count: 8)
    }
  }
  @Model final class Mark {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
}

private enum Fraction {
  struct Size: Codable, Equatable {
    var width: Double
    var depth: Decimal?
    var count: Decimal
  }
  struct Crate: Codable, Equatable {
    var size: Size?
    var weight: Double
  }
  @Model final class Box {
    var name: String
    var size: Size
    var crate: Crate?
    @Attribute(.codable) var spare: Size
    init(_ name: String) {
      self.name = name
      size = Size(width: 0, depth: nil, count: 0)
      spare = Size(width: 0, depth: nil, count: 0)
    }
  }
  @Model final class Mark {
    var number: Double
    init() { number = 0 }
  }
}

private enum Apart {
  @Model final class Trip {
    var name: String
    var price: Int
    init(_ name: String, _ price: Int) { (self.name, self.price) = (name, price) }
  }
  @Model final class Cruise {
    var name: String
    var price: Int
    init(_ name: String, _ price: Int) { (self.name, self.price) = (name, price) }
  }
}

private enum Together {
  @Model class Trip {
    var name: String
    var price: Int
    init(_ name: String, _ price: Int) { (self.name, self.price) = (name, price) }
  }
  @Model final class Cruise: Trip {
    var ship: String = ""
    override init(_ name: String, _ price: Int) { super.init(name, price) }
  }
}

private enum Joined {
  @Model class Trip {
    var name: String
    var price: Double
    init(_ name: String) { (self.name, price) = (name, 0) }
  }
  @Model final class Cruise: Trip {
    var ship: String = ""
    override init(_ name: String) { super.init(name) }
  }
}

private enum Alone {
  @Model final class Trip {
    var name: String
    var price: Double
    init(_ name: String) { (self.name, price) = (name, 0) }
  }
}

@Suite("Widening of numbers in hierarchies that change")
struct WideningHierarchyTests {
  private let large = 9_007_199_254_740_993

  @Test("the numbers of all classes that get a common superclass are checked")
  func joined() throws {
    let store = try MigratedStore()
    try store.use([Apart.Trip.self, Apart.Cruise.self]) { context in
      context.insert(Apart.Trip("a", 1))
      context.insert(Apart.Cruise("b", large))
    }
    let models: [any PersistentModel.Type] = [Joined.Trip.self, Joined.Cruise.self]
    let error = try store.refusal(of: models)
    #expect(error == .modelValidationFailure)
    #expect("\(error)".contains("Cruise.price became") && "\(error)".contains("\(large) in row 1"))
    try store.use([Apart.Trip.self, Apart.Cruise.self]) { context in
      for cruise in try context.fetch(FetchDescriptor<Apart.Cruise>()) { cruise.price -= 1 }
    }
    try store.migrate(to: models) { context in
      let trips = try context.fetch(FetchDescriptor<Joined.Trip>(sortBy: [SortDescriptor(\.name)]))
      #expect(trips.map(\.price) == [1, 9_007_199_254_740_992])
    }
  }

  @Test("the numbers of classes that share a table are checked, except those of a removed class")
  func gone() throws {
    let store = try MigratedStore()
    try store.use([Together.Trip.self, Together.Cruise.self]) { context in
      context.insert(Together.Trip("a", 1))
      context.insert(Together.Cruise("b", large))
    }
    let error = try store.refusal(of: [Joined.Trip.self, Joined.Cruise.self])
    #expect(error == .modelValidationFailure && "\(error)".contains("\(large) in row"))
    try store.migrate(to: [Alone.Trip.self]) { context in
      try #expect(context.fetch(FetchDescriptor<Alone.Trip>()).map(\.price) == [1])
    }
  }
}

@Suite("Widening of numbers in structs, and of the minimum and maximum")
struct WideningMemberTests {
  @Test("members become floating-point numbers and decimals, including those of optional structs and JSON")
  func members() throws {
    let store = try MigratedStore()
    try store.use([Whole.Box.self]) { context in
      let small = Whole.Size(width: 1, depth: nil, count: 2)
      context.insert(Whole.Box("a", Whole.Size(width: -3, depth: nil, count: .max)))
      context.insert(
        Whole.Box(
          "b", Whole.Size(width: 9_007_199_254_740_992, depth: 5, count: 1), Whole.Crate(size: small, weight: -7)))
      context.insert(Whole.Box("c", small, Whole.Crate(size: nil, weight: 8)))
    }
    try store.migrate(to: [Fraction.Box.self]) { context in
      let boxes = try context.fetch(FetchDescriptor<Fraction.Box>(sortBy: [SortDescriptor(\.name)]))
      let small = Fraction.Size(width: 1, depth: nil, count: 2)
      #expect(
        boxes.map(\.size) == [
          Fraction.Size(width: -3, depth: nil, count: Decimal(UInt64.max)),
          Fraction.Size(width: 9_007_199_254_740_992, depth: 5, count: 1), small,
        ])
      #expect(
        boxes.map(\.crate) == [nil, Fraction.Crate(size: small, weight: -7), Fraction.Crate(size: nil, weight: 8)])
      let spare = Fraction.Size(width: 6, depth: nil, count: 8)
      #expect(boxes.map(\.spare) == [spare, spare, spare])
    }
  }

  @Test("members that would be rounded are listed in the error", arguments: [9_007_199_254_740_993, Int.max])
  func roundedMembers(_ number: Int) throws {
    let wide = Whole.Size(width: number, depth: nil, count: 0)
    let outer = try MigratedStore()
    try outer.use([Whole.Box.self]) { $0.insert(Whole.Box("a", wide)) }
    let error = try outer.refusal(of: [Fraction.Box.self])
    #expect(error == .modelValidationFailure)
    #expect("\(error)".contains("Box.size.width became") && "\(error)".contains("\(number) in row 1"))
    let inner = try MigratedStore()
    try inner.use([Whole.Box.self]) { context in
      let small = Whole.Size(width: 1, depth: nil, count: 2)
      context.insert(Whole.Box("a", small, Whole.Crate(size: wide, weight: 1)))
    }
    let text = "\(try inner.refusal(of: [Fraction.Box.self]))"
    #expect(text.contains("Box.crate.size.width became") && text.contains("\(number) in row 1"))
  }

  @Test("the maximum integer, which a floating-point number rounds, is listed in the error; the minimum is kept")
  func limits() throws {
    let greatest = try MigratedStore()
    try greatest.use([Whole.Mark.self]) { $0.insert(Whole.Mark(.max)) }
    let text = "\(try greatest.refusal(of: [Fraction.Mark.self]))"
    #expect(text.contains("Mark.number became") && text.contains("9223372036854775807 in row 1"))
    let least = try MigratedStore()
    try least.use([Whole.Mark.self]) { $0.insert(Whole.Mark(.min)) }
    try least.migrate(to: [Fraction.Mark.self]) { context in
      try #expect(context.fetch(FetchDescriptor<Fraction.Mark>()).map(\.number) == [Double(Int.min)])
    }
  }

  @Test(
    "a value of another program that is not an integer is listed in the error and not converted", .onSQLite,
    arguments: ["'12abc'", "12.5"])
  func foreign(_ value: String) throws {
    let store = try MigratedStore()
    try store.use([Whole.Mark.self]) { $0.insert(Whole.Mark(1)) }
    try RawDatabase(store.url.path).run("UPDATE Mark SET number = \(value)")
    let error = try store.refusal(of: [Fraction.Mark.self])
    #expect(error == .modelValidationFailure && "\(error)".contains("in row 1"))
  }
}
