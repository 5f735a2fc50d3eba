import BenchmarkCore
import Foundation
import OpenSwiftData

extension OurSession {
  func fetchAll(_ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    let items = try stopwatch.measure { try context.fetch(FetchDescriptor<Item>()) }
    return Checksum.ofAll(items)
  }

  func fetchAndFree(_ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    return try stopwatch.measure { Checksum.ofQuery(try context.fetch(FetchDescriptor<Item>())) }
  }

  func fetchValues(_ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    return Checksum.ofAll(try stopwatch.measure { try context.fetchValues(FetchDescriptor<Item>()) })
  }

  func readThreeFields(_ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    let items = try context.fetch(FetchDescriptor<Item>())
    return stopwatch.measure {
      items.reduce(0) { $0 &+ $1.count &+ Int($1.score) &+ $1.name.utf8.count }
    }
  }

  func rangeInIndexOrder(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    return try stopwatch.measure {
      try plan.wideRanges.reduce(0) { sum, range in
        sum &+ Checksum.ofQuery(try context.fetch(firstRows(in: range, limit: plan.limit)))
      }
    }
  }

  func rangeSortedByName(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    return try stopwatch.measure {
      try plan.narrowRanges.reduce(0) { sum, range in
        let descriptor = FetchDescriptor(predicate: isIn(range), sortBy: [SortDescriptor(\.name)])
        return sum &+ Checksum.ofQuery(try context.fetch(descriptor))
      }
    }
  }

  func lookUpCold(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let identifiers = plan.shuffled(try ModelContext(container).fetchIdentifiers(FetchDescriptor<Item>()))
    return lookUp(identifiers, in: ModelContext(container), stopwatch)
  }

  func lookUpRegistered(_ plan: WorkPlan, inOrder: Bool, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Item>())
    let items = try context.fetch(FetchDescriptor<Item>())
    return withExtendedLifetime(items) {
      lookUp(inOrder ? identifiers : plan.shuffled(identifiers), in: context, stopwatch)
    }
  }

  func identifiersInSet(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    let items = try context.fetch(FetchDescriptor<Item>())
    let lookedUp = plan.shuffled(items.map(\.persistentModelID))
    return withExtendedLifetime(context) {
      stopwatch.measure {
        var identifiers = Set<PersistentIdentifier>(minimumCapacity: plan.setCapacity)
        for item in items { identifiers.insert(item.persistentModelID) }
        return Checksum.ofSet(identifiers, lookedUp: lookedUp)
      }
    }
  }

  func countRange(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    return try stopwatch.measure {
      try plan.wideRanges.reduce(0) { sum, range in
        sum &+ (try context.fetchCount(FetchDescriptor(predicate: isIn(range))))
      }
    }
  }

  func countAll(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    return try stopwatch.measure {
      try (0..<plan.counts).reduce(0) { sum, _ in sum &+ (try context.fetchCount(FetchDescriptor<Item>())) }
    }
  }

  func findNone(_ plan: WorkPlan, byPredicate: Bool, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    var none = FetchDescriptor<Item>()
    none.fetchLimit = 0
    let ranges = plan.emptyRanges
    return try stopwatch.measure {
      try ranges.reduce(0) { sum, range in
        sum &+ (try context.fetch(byPredicate ? FetchDescriptor(predicate: isIn(range)) : none).count)
      }
    }
  }

  func firstRows(of range: Range<Int>, limit: Int) throws -> Int {
    Checksum.ofQuery(try ModelContext(container).fetch(firstRows(in: range, limit: limit)))
  }

  private func lookUp(_ identifiers: [PersistentIdentifier], in context: ModelContext, _ stopwatch: Stopwatch) -> Int {
    stopwatch.measure {
      identifiers.reduce(0) { sum, identifier in
        sum &+ ((context.model(for: identifier) as? Item)?.count ?? 0)
      }
    }
  }

  private func firstRows(in range: Range<Int>, limit: Int) -> FetchDescriptor<Item> {
    var descriptor = FetchDescriptor(predicate: isIn(range), sortBy: [SortDescriptor(\.count)])
    descriptor.fetchLimit = limit
    return descriptor
  }

  private func isIn(_ range: Range<Int>) -> Predicate<Item> {
    let (lower, upper) = (range.lowerBound, range.upperBound)
    return #Predicate<Item> { $0.count >= lower && $0.count < upper }
  }
}
