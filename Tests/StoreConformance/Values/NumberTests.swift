import SwiftData
import Testing

@Suite("Numbers round-trip exactly", .serialized)
struct NumberTests {
  private func extremes<T: FixedWidthInteger>(_ type: T.Type) -> [T] { [.min, .max, 0, 1, .max / 2, .min / 2] }

  @Test("Int8", arguments: Engine.allCases)
  func int8(_ engine: Engine) throws { try expectRoundTrip(engine, \Numbers.int8, Array(Int8.min...Int8.max)) }

  @Test("Int16", arguments: Engine.allCases)
  func int16(_ engine: Engine) throws { try expectRoundTrip(engine, \Numbers.int16, extremes(Int16.self)) }

  @Test("Int32", arguments: Engine.allCases)
  func int32(_ engine: Engine) throws { try expectRoundTrip(engine, \Numbers.int32, extremes(Int32.self) + [-1]) }

  @Test("Int64", arguments: Engine.allCases)
  func int64(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Numbers.int64, extremes(Int64.self) + [-1, (1 << 53) + 1, -(1 << 53) - 1])
  }

  @Test("Int", arguments: Engine.allCases)
  func int(_ engine: Engine) throws { try expectRoundTrip(engine, \Numbers.int, extremes(Int.self) + [-1]) }

  @Test("UInt8", arguments: Engine.allCases)
  func uint8(_ engine: Engine) throws { try expectRoundTrip(engine, \Numbers.uint8, Array(0...UInt8.max)) }

  @Test("UInt16", arguments: Engine.allCases)
  func uint16(_ engine: Engine) throws { try expectRoundTrip(engine, \Numbers.uint16, extremes(UInt16.self)) }

  @Test("UInt32", arguments: Engine.allCases)
  func uint32(_ engine: Engine) throws { try expectRoundTrip(engine, \Numbers.uint32, extremes(UInt32.self)) }

  @Test("UInt64, including values beyond the range of Int64", arguments: Engine.allCases)
  func uint64(_ engine: Engine) throws {
    let border = UInt64(Int64.max)
    try expectRoundTrip(engine, \Numbers.uint64, extremes(UInt64.self) + [border - 1, border, border + 1])
  }

  @Test("UInt, including values beyond the range of Int", arguments: Engine.allCases)
  func uint(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Numbers.uint, extremes(UInt.self) + [UInt(Int.max) + 1])
  }

  @Test("Bool", arguments: Engine.allCases)
  func bool(_ engine: Engine) throws { try expectRoundTrip(engine, \Numbers.bool, [true, false]) }

  @Test("Double: signed zeroes, infinities, NaN, denormals", arguments: Engine.allCases)
  func double(_ engine: Engine) throws {
    let values: [Double] = [
      0, -0.0, 1, 0.1, -1.0 / 3, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
      .leastNormalMagnitude, .leastNormalMagnitude.nextDown, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .pi,
      .ulpOfOne, 9_007_199_254_740_992, 1e15, 1e16, 123_456_789_012_345_680,
    ]
    try expectRoundTrip(engine, \Numbers.double, values) { back, value in
      value.isNaN ? back.isNaN : back.bitPattern == value.bitPattern
    }
  }

  @Test("Float: signed zeroes, infinities, NaN, denormals", arguments: Engine.allCases)
  func float(_ engine: Engine) throws {
    let values: [Float] = [
      0, -0.0, 1, 0.1, -1.0 / 3, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
      .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .pi, 16_777_216,
    ]
    try expectRoundTrip(engine, \Numbers.float, values) { back, value in
      value.isNaN ? back.isNaN : back.bitPattern == value.bitPattern
    }
  }

  @Test("random Doubles", arguments: Engine.randomCases)
  func randomDoubles(_ engine: Engine) throws {
    let seed = RandomTesting.seed
    var generator = SeededGenerator(seed: seed)
    let values = (0..<1000 * RandomTesting.soak).map { _ in Double(bitPattern: generator.next()) }
    try expectRoundTrip(engine, \Numbers.double, values) { back, value in
      let same = value.isNaN ? back.isNaN : back.bitPattern == value.bitPattern
      if !same { Issue.record("seed \(seed)") }
      return same
    }
  }

  @Test("optional NaN is not nil", arguments: Engine.allCases)
  func optionalNaN(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Numbers.optionalDouble, [.nan, nil, 0, -.infinity]) { back, value in
      value?.isNaN == true ? back?.isNaN == true : back == value
    }
    try expectRoundTrip(engine, \Numbers.optionalFloat, [.nan, nil, 0, .infinity]) { back, value in
      value?.isNaN == true ? back?.isNaN == true : back == value
    }
  }

  @Test("optional numbers, with zero distinct from nil", arguments: Engine.allCases)
  func optionals(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Numbers.optionalInt8, [nil, 0, .min, .max])
    try expectRoundTrip(engine, \Numbers.optionalInt64, [nil, 0, .min, .max])
    try expectRoundTrip(engine, \Numbers.optionalUInt64, [nil, 0, .max])
    try expectRoundTrip(engine, \Numbers.optionalBool, [nil, false, true])
  }

  @Test("values beyond the range of Int64 compare and sort as numbers", arguments: Engine.allCases)
  func wideOrder(_ engine: Engine) throws {
    let store = try TestStore(engine, [Numbers.self])
    let context = store.context()
    let values: [UInt64] = [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max]
    for (position, value) in values.enumerated().reversed() {
      let model = Numbers(position: position)
      model.uint64 = value
      context.insert(model)
    }
    try context.save()
    let other = store.context()
    let sorted = try other.fetch(FetchDescriptor<Numbers>(sortBy: [SortDescriptor(\.uint64)])).map(\.uint64)
    #expect(sorted == values)
    for border in values {
      let above = try other.fetch(FetchDescriptor<Numbers>(predicate: #Predicate { $0.uint64 > border }))
      #expect(above.map(\.uint64).sorted() == values.filter { $0 > border }, "above \(border)")
      let equal = try other.fetch(FetchDescriptor<Numbers>(predicate: #Predicate { $0.uint64 == border }))
      #expect(equal.map(\.uint64) == [border])
    }
  }

  @Test("not-a-number matches predicates as in Swift", arguments: Engine.allCases)
  func nanPredicates(_ engine: Engine) throws {
    let store = try TestStore(engine, [Numbers.self])
    let context = store.context()
    let values: [Double] = [.nan, -.infinity, -0.0, 0, 1, .infinity]
    for (position, value) in values.enumerated() {
      let model = Numbers(position: position)
      model.double = value
      context.insert(model)
    }
    try context.save()
    let other = store.context()
    func positions(_ predicate: Predicate<Numbers>) throws -> [Int] {
      try other.fetch(FetchDescriptor(predicate: predicate)).map(\.position).sorted()
    }
    let nan = Double.nan
    #expect(try positions(#Predicate { $0.double < 1 }) == [1, 2, 3])
    #expect(try positions(#Predicate { $0.double > 0 }) == [4, 5])
    #expect(try positions(#Predicate { $0.double == 0 }) == [2, 3])
    #expect(try positions(#Predicate { $0.double != 1 }) == [0, 1, 2, 3, 5])
    #expect(try positions(#Predicate { $0.double == nan }) == [])
    #expect(try positions(#Predicate { $0.double != nan }) == [0, 1, 2, 3, 4, 5])
  }
}
