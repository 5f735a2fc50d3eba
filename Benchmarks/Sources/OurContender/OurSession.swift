import BenchmarkCore
import SwiftData

/// The workloads through contexts and descriptors. Each workload has a context of its own, so that no object of another
/// workload is registered in it.
final class OurSession: ContenderSession {
  let container: ModelContainer
  /// Opens the same store with a history, or nil if the engine supports no history.
  private let openWithHistory: (() throws -> ModelContainer)?

  init(_ container: ModelContainer, withHistory openWithHistory: (() throws -> ModelContainer)? = nil) {
    self.container = container
    self.openWithHistory = openWithHistory
  }

  func insert(_ values: [ItemValues], _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    let items = values.map { Item($0) }
    try stopwatch.measure {
      for item in items { context.insert(item) }
      try context.save()
    }
    return try ModelContext(container).fetchCount(FetchDescriptor<Item>())
  }

  func update(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    try stopwatch.measure {
      for item in try context.fetch(firstHalf(plan)) { item.score += 1 }
      try context.save()
    }
    return Checksum.ofAll(try ModelContext(container).fetch(FetchDescriptor<Item>()))
  }

  func saveOne(_ plan: WorkPlan, afterOther: Bool, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    let items = try context.fetch(firstHalf(plan))
    let other = afterOther ? ModelContext(container) : nil
    try other?.fetch(firstHalf(plan)).first?.score += 1
    try other?.save()
    try stopwatch.measure {
      for _ in 0..<plan.saves {
        items[1].score += 1
        try context.save()
      }
    }
    return Checksum.ofAll(try ModelContext(container).fetch(FetchDescriptor<Item>()))
  }

  func saveWithRecord(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    guard let openWithHistory else { throw NotOffered() }
    let context = ModelContext(try openWithHistory())
    let items = try context.fetch(firstHalf(plan))
    try stopwatch.measure {
      for _ in 0..<plan.saves {
        items[1].score += 1
        try context.save()
      }
    }
    return Checksum.ofAll(try ModelContext(container).fetch(FetchDescriptor<Item>()))
  }

  func delete(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    let items = try context.fetch(firstHalf(plan))
    try stopwatch.measure {
      for item in items { context.delete(item) }
      try context.save()
    }
    return Checksum.ofAll(try ModelContext(container).fetch(FetchDescriptor<Item>()))
  }

  /// Describes a fetch of the first half of the inserted rows. Without a sort order, rows are fetched in the order of
  /// their keys.
  private func firstHalf(_ plan: WorkPlan) -> FetchDescriptor<Item> {
    var descriptor = FetchDescriptor<Item>()
    descriptor.fetchLimit = plan.half
    return descriptor
  }
}
