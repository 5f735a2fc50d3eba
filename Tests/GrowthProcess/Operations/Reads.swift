import OpenSwiftData

extension Operation {
  /// Saves items and releases their objects, so that the operation has to read the rows.
  @Sendable private static func stored(_ world: World, _ count: Int) throws {
    try world.items(count)
    world.forget()
  }

  static let reads = [
    Operation(name: "fetch", count: 800, prepare: stored) { world, _ in
      world.kept = try world.context.fetch(FetchDescriptor<Item>())
    },
    Operation(name: "fetch one by one", count: 100, prepare: stored) { world, count in
      for number in 0..<count {
        world.kept += try world.context.fetch(FetchDescriptor<Item>(predicate: #Predicate { $0.number == number }))
      }
    },
    Operation(name: "fetch sorted", count: 800, prepare: stored) { world, _ in
      world.kept = try world.context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.name, order: .reverse)]))
    },
    Operation(
      name: "count one by one", count: 200, prepare: { world, _ in try world.items(10) },
      run: { world, count in
        for number in 0..<count {
          _ = try world.context.fetchCount(FetchDescriptor<Item>(predicate: #Predicate { $0.number == number }))
        }
      }),
    Operation(
      name: "registered look-up", count: 800,
      prepare: { world, count in
        world.kept = try world.items(count)
        world.identifiers = try world.context.fetchIdentifiers(FetchDescriptor<Item>())
      },
      run: { world, _ in
        for identifier in world.identifiers {
          guard let _: Item = world.context.registeredModel(for: identifier) else { throw Failure() }
        }
      }),
    Operation(
      name: "stored look-up", count: 200,
      prepare: { world, count in
        try world.items(count)
        let identifiers = try world.context.fetchIdentifiers(FetchDescriptor<Item>())
        world.forget()
        world.identifiers = identifiers
      },
      run: { world, _ in
        for identifier in world.identifiers { world.kept.append(world.context.model(for: identifier)) }
      }),
    Operation(
      name: "look-up of what is not saved", count: 200,
      prepare: { world, count in
        for index in 0..<count {
          let item = Item(index)
          world.context.insert(item)
          world.identifiers.append(item.persistentModelID)
        }
      },
      run: { world, _ in
        for identifier in world.identifiers {
          guard let _: Item = world.context.registeredModel(for: identifier) else { throw Failure() }
        }
        world.context.rollback()
      }),
    Operation(name: "identifiers", count: 400, prepare: stored) { world, _ in
      let identifiers = try world.context.fetchIdentifiers(FetchDescriptor<Item>())
      guard Set(identifiers).count == identifiers.count else { throw Failure() }
    },
    Operation(name: "identifiers from before the save", count: 200) { world, count in
      var early: Set<PersistentIdentifier> = []
      for index in 0..<count {
        let item = Item(index)
        world.context.insert(item)
        early.insert(item.persistentModelID)
      }
      try world.context.save()
      for identifier in try world.context.fetchIdentifiers(FetchDescriptor<Item>()) { early.insert(identifier) }
      guard early.count == count else { throw Failure() }
    },
    Operation(name: "enumerate", count: 800, prepare: stored) { world, _ in
      var sum = 0
      try world.context.enumerate(FetchDescriptor<Item>(), batchSize: 100) { sum += $0.number }
    },
    Operation(name: "enumerate and save", count: 200, prepare: stored) { world, _ in
      try world.context.enumerate(FetchDescriptor<Item>(), batchSize: 50) { item in
        item.number += 1
        if item.number.isMultiple(of: 10) { try world.context.save() }
      }
      try world.context.save()
    },
    Operation(name: "fetch in batches", count: 800, prepare: stored) { world, _ in
      let items = try world.context.fetch(FetchDescriptor<Item>(), batchSize: 100)
      _ = items.reduce(0) { $0 + $1.number }
    },
    Operation(name: "values", count: 800, prepare: stored) { world, _ in
      _ = try world.context.fetchValues(FetchDescriptor<Item>())
    },
    Operation(name: "aggregate", count: 2_000, prepare: stored) { world, _ in
      _ = try world.context.sum(of: \Item.number)
    },
    Operation(
      name: "aggregate with changes", count: 200, prepare: { world, count in world.kept = try world.items(count) },
      run: { world, _ in
        for case let item as Item in world.kept { item.number += 1 }
        _ = try world.context.sum(of: \Item.number)
        world.context.rollback()
      }),
    Operation(
      name: "models written by hand", count: 100,
      prepare: { world, count in
        for index in 0..<count { world.context.insert(Manual("\(index)")) }
        try world.context.save()
        world.forget()
      },
      run: { world, _ in
        _ = try world.context.fetch(FetchDescriptor<Manual>())
      }),
  ]
}
