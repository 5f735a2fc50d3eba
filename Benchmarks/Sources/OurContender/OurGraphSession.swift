import BenchmarkCore
import Foundation
import SwiftData

/// The workloads with relationships, through contexts and descriptors. Each workload uses a context of its own.
final class OurGraphSession: GraphSession {
  private let container: ModelContainer

  init(_ container: ModelContainer) {
    self.container = container
  }

  func insert(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    let parents = plan.makeParents().map { Parent(name: $0) }
    let values = plan.makeChildren()
    let children = values.map { Child($0) }
    try stopwatch.measure {
      for parent in parents { context.insert(parent) }
      for (child, value) in zip(children, values) { child.parent = parents[value.parent] }
      try context.save()
    }
    return try checksum()
  }

  func toManyOneByOne(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int {
    let identifiers = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Parent>())
    let context = ModelContext(container)
    var parents: [Parent] = []
    stopwatch.measure {
      for identifier in identifiers {
        guard let parent = context.model(for: identifier) as? Parent else { continue }
        _ = parent.children
        parents.append(parent)
      }
    }
    return checksum(parents)
  }

  func toManyForAll(_ stopwatch: Stopwatch) throws -> Int {
    var descriptor = FetchDescriptor<Parent>()
    descriptor.relationshipKeyPathsForPrefetching = [\.children]
    return try traverse(descriptor, stopwatch)
  }

  func toManyTraversal(_ stopwatch: Stopwatch) throws -> Int {
    try traverse(FetchDescriptor<Parent>(), stopwatch)
  }

  private func traverse(_ descriptor: FetchDescriptor<Parent>, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    let (parents, sum) = try stopwatch.measure {
      let parents = try context.fetch(descriptor)
      return (parents, parents.reduce(0) { $0 &+ Checksum.ofNumbers($1.children) })
    }
    return checksum(parents) &+ sum
  }

  func delete(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Parent>()
    descriptor.fetchLimit = plan.half
    let parents = try context.fetch(descriptor)
    try stopwatch.measure {
      for parent in parents { context.delete(parent) }
      try context.save()
    }
    return try checksum()
  }

  private func checksum() throws -> Int {
    let context = ModelContext(container)
    return checksum(try context.fetch(FetchDescriptor<Parent>()))
  }

  private func checksum(_ parents: [Parent]) -> Int {
    parents.reduce(0) { $0 &+ Checksum.ofParent($1.name, $1.children) }
  }
}
