import SeededNumbers
import Testing

@testable import PersistenceRuntime
@testable import PersistenceSupport

@Suite("Prefetching in loops over the results of large fetches")
struct PrefetchWindowTests {
  private static let keys = ContiguousArray((0..<200_000).map { Int64($0 * 3 % 200_000) })

  /// Simulates a loop that accesses the objects at the given indices. Returns the number of queries that prefetching
  /// runs, and the number of objects that these queries read.
  private func cost(of places: some Sequence<Int>) -> (queries: Int, objects: Int) {
    var prefetch = PrefetchWindow(position: 0)
    var isLoaded = [Bool](repeating: false, count: Self.keys.count)
    var cost = (queries: 0, objects: 0)
    for place in places where !isLoaded[place] {
      let window = prefetch.step(to: Self.keys[place], in: Self.keys)
      #expect(window.contains(place))
      cost.queries += 1
      for other in window where !isLoaded[other] {
        isLoaded[other] = true
        cost.objects += 1
      }
    }
    return cost
  }

  @Test("a loop that accesses every object, forwards or backwards, prefetches in large windows")
  func every() {
    #expect(cost(of: 0..<200_000) == (10, 200_000))
    #expect(cost(of: (0..<200_000).reversed()) == (10, 200_000))
    #expect(cost(of: 100_000..<200_000).queries <= 5)
    #expect(cost(of: stride(from: 0, to: 200_000, by: 5)).queries == 10)
  }

  @Test("a loop that accesses few objects reads few objects")
  func few() {
    let pairs = stride(from: 98, to: 200_000, by: 100).flatMap { [$0, $0 + 1] }
    let cost = cost(of: pairs)
    #expect(cost.objects < 3 * pairs.count)
    #expect(cost.queries <= pairs.count)
  }

  @Test("a loop that first accesses few objects and then every object prefetches in large windows again")
  func again() {
    let few = stride(from: 0, to: 100_000, by: 500)
    let cost = cost(of: Array(few) + Array(100_000..<200_000))
    #expect(cost.queries < few.underestimatedCount + 16)
  }

  @Test("random access needs few queries")
  func random() {
    var generator = SeededGenerator(seed: 4)
    let cost = cost(of: (0..<200_000).shuffled(using: &generator))
    #expect(cost.queries < 400)
  }
}
