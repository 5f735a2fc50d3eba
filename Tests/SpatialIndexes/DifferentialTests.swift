import ConformanceSupport
import SwiftData
import Testing

/// Evaluates random predicates while rows with an R-tree change. A fetch must find exactly the models for which
/// `evaluate` returns true.
///
/// `OSD_SOAK` multiplies the length of the run, and `OSD_SEED` repeats a run with the same seed.
@Suite("Random predicates over coordinates, evaluated by fetches and in memory")
struct DifferentialTests {
  @Test("fetches find the same models as the evaluation in memory while rows change", arguments: Engine.sqlite)
  func agree(_ engine: Engine) throws {
    let seed = RandomTesting.seed
    var random = RandomPlaces(SeededGenerator(seed: seed))
    let store = try TestStore(engine, [Spot.self])
    guard try random.agree(in: store, steps: 150, changing: 12, seed: seed) else { return }
    guard engine == .file else { return }
    #expect(
      try store.raw.faults(of: "_osd_rtree_Spot_x_y", table: "Spot", columns: ["x", "y"]).isEmpty, "seed \(seed)")
  }
}

/// Creates random rows, changes and predicates. Their numbers are often equal, and some are extreme.
private struct RandomPlaces: RandomRows {
  var generator: SeededGenerator

  init(_ generator: SeededGenerator) { self.generator = generator }

  mutating func number() -> Double {
    if chance(4), let extreme = Extremes.all.randomElement(using: &generator) { return extreme }
    let whole = Double(Int.random(in: -4...4, using: &generator))
    return chance(3) ? whole + 0.1 : whole
  }

  mutating func model() -> Spot { Spot(chance(5) ? nil : number(), number()) }

  mutating func change(_ spot: Spot, in context: ModelContext) {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: context.delete(spot)
    case 1: spot.x = chance(3) ? nil : number()
    case 2: spot.y = number()
    default: (spot.x, spot.y) = (number(), number())
    }
  }

  mutating func predicate() -> Predicate<Spot> { predicate(depth: Int.random(in: 0...3, using: &generator)) }

  private mutating func predicate(depth: Int) -> Predicate<Spot> {
    guard depth > 0 else { return leaf() }
    let (first, second) = (predicate(depth: depth - 1), predicate(depth: depth - 1))
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      return Predicate { Erased(PredicateExpressions.build_Disjunction(lhs: holds(first, $0), rhs: holds(second, $0))) }
    case 1:
      return Predicate { spot in
        let isNot = Erased(PredicateExpressions.build_Negation(holds(first, spot)))
        return Erased(PredicateExpressions.build_Conjunction(lhs: isNot, rhs: holds(second, spot)))
      }
    case 2:
      return Predicate { spot in
        let never = PredicateExpressions.build_Arg(false)
        return Erased(PredicateExpressions.build_Conditional(holds(first, spot), holds(second, spot), never))
      }
    default:
      return Predicate { Erased(PredicateExpressions.build_Conjunction(lhs: holds(first, $0), rhs: holds(second, $0))) }
    }
  }

  private mutating func leaf() -> Predicate<Spot> {
    let (a, b, c, d) = (number(), number(), number(), number())
    switch Int.random(in: 0..<14, using: &generator) {
    case 0: return #Predicate { $0.y >= a && $0.y <= b }
    case 1: return #Predicate { a < $0.y && b > $0.y }
    case 2: return #Predicate { $0.x != nil && $0.x! >= a && $0.x! <= b && $0.y >= c && $0.y <= d }
    case 3: return #Predicate { if let x = $0.x { x >= a && x <= b } else { false } }
    case 4: return #Predicate { $0.x == a && $0.y > b }
    case 5: return #Predicate { $0.y == a }
    case 6: return #Predicate { $0.x == nil }
    case 7: return #Predicate { ($0.x ?? c) >= a && ($0.x ?? c) <= b }
    case 8: return #Predicate { $0.y >= a && $0.y <= a && $0.x != b }
    case 9 where a <= b: return #Predicate { (a...b).contains($0.y) }
    case 10 where a <= b: return #Predicate { (a..<b).contains($0.y) && $0.x != nil && $0.x! > c && $0.x! < d }
    case 11: return #Predicate { ($0.x.flatMap { $0 >= a && $0 <= b } ?? false) && $0.y <= c && $0.y >= d }
    case 12: return #Predicate { ($0.y >= a && $0.y <= b) == true }
    default: return #Predicate { $0.y >= a - b && $0.y <= a + b }
    }
  }
}

/// A condition that evaluates the predicate for the spot.
private func holds(_ predicate: Predicate<Spot>, _ spot: PredicateExpressions.Variable<Spot>) -> Erased<Bool> {
  Erased(PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(predicate), spot))
}
