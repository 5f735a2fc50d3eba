import SwiftData
import Testing

private struct Point: Hashable, Codable {
  var x = 0
}

private struct Bag {
  var items: [Int]
}

/// Views compare their new fetch descriptor with the previous one, and fetch again only if the two are not equal.
@Suite("Equality of fetch descriptors")
struct DescriptorEqualityTests {
  private func descriptor(_ change: (inout FetchDescriptor<Book>) -> Void = { _ in }) -> FetchDescriptor<Book> {
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
    change(&descriptor)
    return descriptor
  }

  @Test("Descriptors that differ in any part are not equal")
  func parts() {
    #expect(descriptor() == descriptor())
    let changes: [(inout FetchDescriptor<Book>) -> Void] = [
      { $0.fetchLimit = 3 }, { $0.fetchOffset = 3 }, { $0.includePendingChanges = false },
      { $0.propertiesToFetch = [\.title] }, { $0.relationshipKeyPathsForPrefetching = [\.pages] }, { $0.sortBy = [] },
      { $0.sortBy = [SortDescriptor(\.title, order: .reverse)] }, { $0.predicate = #Predicate { $0.pages > 3 } },
    ]
    for (index, change) in changes.enumerated() {
      #expect(descriptor(change) == descriptor(change), "\(index)")
      #expect(descriptor(change) != descriptor(), "\(index)")
      for other in changes.indices where other != index {
        #expect(descriptor(change) != descriptor(changes[other]), "\(index) and \(other)")
      }
    }
  }

  private func pages(_ limit: Int, _ words: [String] = []) -> FetchDescriptor<Book> {
    FetchDescriptor(predicate: #Predicate { $0.pages > limit && words.contains($0.title) })
  }

  @Test("Predicates are equal if their operators, their properties and their captured values are equal")
  func predicates() {
    #expect(pages(3) == pages(3))
    #expect(pages(3) != pages(4))
    #expect(pages(3, ["a"]) == pages(3, ["a"]))
    #expect(pages(3, ["a"]) != pages(3, ["b"]))
    func titles(_ word: String) -> FetchDescriptor<Book> {
      FetchDescriptor(predicate: #Predicate { $0.title == word })
    }
    let other = FetchDescriptor<Book>(predicate: #Predicate { $0.title != "a" })
    let swapped = FetchDescriptor<Book>(predicate: #Predicate { "a" == $0.title })
    #expect(titles("a") == titles("a") && titles("a") != other && titles("a") != swapped)
    let same = titles("a")
    #expect(same == same)
  }

  @Test("Predicates are equal if they use corresponding variables at the same positions")
  func variables() {
    func nested(_ predicate: Predicate<Book>) -> FetchDescriptor<Book> {
      FetchDescriptor(predicate: .any([predicate, #Predicate { $0.pages == 0 }]))
    }
    let (long, also, short) = (
      #Predicate<Book> { $0.pages > 3 }, #Predicate<Book> { $0.pages > 3 }, #Predicate<Book> { $0.pages < 3 }
    )
    #expect(nested(long) == nested(also))
    #expect(nested(long) != nested(short))
    func inner(_ text: String) -> FetchDescriptor<Book> {
      FetchDescriptor(predicate: #Predicate { book in [1, 2].contains { $0 == book.pages } && book.title == text })
    }
    #expect(inner("a") == inner("a") && inner("a") != inner("b"))
    let crossed = FetchDescriptor<Book>(
      predicate: #Predicate { book in [1, 2].contains { $0 == $0 } && book.title == "a" })
    #expect(inner("a") != crossed)
  }

  @Test("Captured values without == are compared by their stored properties, and are not equal if they have none")
  func captured() {
    func holding(_ bag: Bag) -> FetchDescriptor<Book> {
      FetchDescriptor(
        predicate: Predicate { book in
          PredicateExpressions.build_contains(
            PredicateExpressions.build_Arg(bag.items),
            PredicateExpressions.build_KeyPath(root: PredicateExpressions.build_Arg(book), keyPath: \.pages))
        })
    }
    #expect(holding(Bag(items: [1])) == holding(Bag(items: [1])))
    #expect(holding(Bag(items: [1])) != holding(Bag(items: [2])))
    func pages(_ value: Double) -> FetchDescriptor<Book> {
      FetchDescriptor(predicate: #Predicate { $0.rating == value })
    }
    #expect(pages(1) == pages(1) && pages(1) != pages(2) && pages(.nan) != pages(.nan))
  }
}
