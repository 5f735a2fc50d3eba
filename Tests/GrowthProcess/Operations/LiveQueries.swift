import OpenSwiftData

extension Operation {
  /// Operations in which observers follow the changes of a store.
  static let liveQueries = [
    Operation(
      name: "observe all rows", count: 500,
      prepare: { world, count in
        try world.items(count)
        world.forget()
      },
      run: { world, count in
        let observer = try ResultsObserver<Item, Never>(
          sortBy: [SortDescriptor(\.number)], modelContext: world.context)
        guard observer.results.reduce(0, { sum, _ in sum + 1 }) == count else { throw Failure() }
      }),
    Operation(
      name: "sections of all rows", count: 500,
      prepare: { world, count in
        try world.items(count)
        world.forget()
      },
      run: { world, count in
        let observer = try ResultsObserver<Item, String>(sectionBy: \.name, modelContext: world.context)
        guard observer.sections?.count == count else { throw Failure() }
      }),
    Operation(
      name: "observe what is saved elsewhere", count: 200, prepare: { world, _ in try world.items(10) },
      run: { world, count in
        let observer = try ResultsObserver<Item, Never>(
          filterBy: #Predicate { $0.number == -1 }, modelContext: world.context)
        let other = ModelContext(world.container)
        for _ in 0..<count {
          other.insert(Item(0))
          try other.save()
          guard observer.results.isEmpty else { throw Failure() }
        }
      }),
    Operation(
      name: "observe what is not saved", count: 500, prepare: { world, count in world.kept = try world.items(count) },
      run: { world, count in
        let observer = try ResultsObserver<Item, Never>(
          filterBy: #Predicate { $0.size > 100 }, modelContext: world.context)
        for case let item as Item in world.kept { item.size = 200 }
        guard observer.results.count == count else { throw Failure() }
        for case let item as Item in world.kept { item.size = 1 }
        guard observer.results.isEmpty else { throw Failure() }
      }),
    Operation(
      name: "merge changes for a slow consumer", count: 200,
      run: { world, count in
        let container = world.container
        try waiting {
          var changes = container.changes(of: Item.self).makeAsyncIterator()
          let database = ModelDatabase(modelContainer: container)
          for _ in 0..<count { try await database.insert { Item(0) } }
          guard try await changes.next()?.inserted.count == count else { throw Failure() }
        }
      }),
  ]
}
