import ConformanceSupport
import SwiftData
import Testing

/// Numbers that a 32-bit floating-point number, as in an R-tree, rounds or cannot represent.
enum Extremes {
  static let all: [Double] = [
    0, -0.0, 1, 0.1, 0.1 + 0.2, 16_777_217, -16_777_217, 1e300, -1e300, .infinity, -.infinity, .nan,
    .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 1e-40, -1e-40, 1.1754943508222875e-38, 0.9e-45,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 3.4028234663852886e38, 3.402823466385289e38, 1e38, 2e38,
    Double(Float.greatestFiniteMagnitude).nextUp, -2e38, 1e37,
  ]
}

@Suite("Exact results of fetches that use an R-tree")
struct ExactnessTests {
  @Test(
    "a fetch finds exactly the matching rows, for every number and every pair of bounds", arguments: Engine.allCases)
  func everyNumber(_ engine: Engine) throws {
    let store = try TestStore(engine, [Place.self])
    let context = store.context()
    for value in Extremes.all { context.insert(Place("\(value)", value, 7)) }
    try context.save()
    let reader = store.context()
    for low in Extremes.all {
      for high in Extremes.all {
        let wanted = Extremes.all.filter { $0 >= low && $0 <= high }.map { "\($0)" }
        let box = FetchDescriptor<Place>(
          predicate: #Predicate {
            $0.latitude >= low && $0.latitude <= high && $0.longitude >= 7 && $0.longitude <= 7
          })
        let strip = FetchDescriptor<Place>(predicate: #Predicate { $0.latitude >= low && $0.latitude <= high })
        #expect(try reader.fetch(box).map(\.name) == wanted, "\(low)...\(high)")
        #expect(try reader.fetch(strip).map(\.name) == wanted, "\(low)...\(high)")
      }
    }
  }

  @Test(
    "a fetch finds exactly the matching rows for integers that no floating-point number equals",
    arguments: Engine.allCases)
  func wholeNumbers(_ engine: Engine) throws {
    let numbers = [Int.min, .min + 1, -(1 << 53) - 1, -1, 0, 1, 1 << 24 + 1, 1 << 53 + 1, .max - 1, .max]
    let store = try TestStore(engine, [Cell.self])
    let context = store.context()
    for number in numbers { context.insert(Cell(number)) }
    try context.save()
    for low in numbers {
      for high in numbers where low <= high {
        let found = FetchDescriptor<Cell>(predicate: #Predicate { (low...high).contains($0.a) })
        #expect(try store.context().fetch(found).map(\.a) == numbers.filter { $0 >= low && $0 <= high })
      }
    }
  }

  @Test("a row without one coordinate is found by its other coordinates", arguments: Engine.allCases)
  func missing(_ engine: Engine) throws {
    let store = try TestStore(engine, [Spot.self])
    let context = store.context()
    for (x, y) in [(nil, 1.0), (1, .nan), (1, 1), (nil, .nan), (5, 1)] as [(Double?, Double)] {
      context.insert(Spot(x, y))
    }
    try context.save()
    let reader = store.context()
    let byY = FetchDescriptor<Spot>(predicate: #Predicate { $0.y >= 0 && $0.y <= 2 })
    #expect(try reader.fetch(byY).map(\.x) == [nil, 1, 5])
    let byX = FetchDescriptor<Spot>(predicate: #Predicate { $0.x != nil && $0.x! >= 0 && $0.x! <= 2 })
    #expect(try reader.fetchCount(byX) == 2)
    guard engine == .file else { return }
    let steps = try byY.explain(in: reader).plan.map(\.text)
    #expect(steps.contains("SCAN Spot USING COVERING INDEX _osd_rtree_Spot_x_y_outside"), "\(steps)")
  }
}
