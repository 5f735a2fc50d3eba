import OpenSwiftData

extension Operation {
  /// Operations that use several rows, relationships, predicates or contexts at once.
  static let combinations = [
    Operation(
      name: "prefetch", count: 60,
      prepare: { world, count in
        try world.shelves(count, books: 4)
        world.forget()
      },
      run: { world, count in
        var descriptor = FetchDescriptor<Shelf>()
        descriptor.relationshipKeyPathsForPrefetching = [\.books]
        let shelves = try world.context.fetch(descriptor)
        guard shelves.reduce(0, { $0 + $1.books.count }) == count * 4 else { throw Failure() }
        world.kept = shelves
      }),
    Operation(
      name: "aggregate in groups", count: 1_000,
      prepare: { world, count in
        try world.items(count)
        world.forget()
      },
      run: { world, count in
        let groups = try world.context.grouped(by: \Item.number, .count, .sum(of: \.number))
        guard groups.count == count else { throw Failure() }
      }),
    Operation(
      name: "predicate of predicates", count: 200, prepare: { world, _ in try world.items(10) },
      run: { world, count in
        let parts = (0..<count).map { number in #Predicate<Item> { $0.number == number } }
        let found = try world.context.fetchCount(FetchDescriptor<Item>(predicate: .any(parts)))
        guard found == 10 else { throw Failure() }
      }),
    Operation(
      name: "merge what others changed", count: 100, prepare: { world, count in world.kept = try world.items(count) },
      run: { world, _ in
        let other = ModelContext(world.container)
        for item in try other.fetch(FetchDescriptor<Item>()) { item.size = 7 }
        try other.save()
        for case let item as Item in world.kept { item.name = "changed" }
        try world.context.save()
        guard world.kept.allSatisfy({ ($0 as? Item)?.size == 7 }) else { throw Failure() }
      }),
  ]
}
