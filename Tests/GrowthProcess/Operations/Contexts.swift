import SwiftData

extension Operation {
  static let contexts = [
    Operation(
      name: "contexts in turn", count: 60, prepare: { world, _ in try world.items(10) },
      run: { world, count in
        for _ in 0..<count {
          let context = ModelContext(world.container)
          for item in try context.fetch(FetchDescriptor<Item>()) { item.number += 1 }
          try context.save()
        }
      }),
    Operation(
      name: "propagation, heard each time", count: 100,
      prepare: { world, count in world.kept = try world.items(count) },
      run: { world, _ in
        let other = ModelContext(world.container)
        let heard = try other.fetch(FetchDescriptor<Item>())
        for case let item as Item in world.kept {
          item.size = 7
          try world.context.save()
          guard let model: Item = other.registeredModel(for: item.persistentModelID), model.size == 7 else {
            throw Failure()
          }
        }
        guard heard.count == world.kept.count else { throw Failure() }
      }),
    Operation(
      name: "propagation, heard at last", count: 100, prepare: { world, count in world.kept = try world.items(count) },
      run: { world, _ in
        let other = ModelContext(world.container)
        let heard = try other.fetch(FetchDescriptor<Item>())
        for case let item as Item in world.kept {
          item.size = 7
          try world.context.save()
        }
        _ = try other.fetchCount(FetchDescriptor<Item>())
        guard heard.allSatisfy({ $0.size == 7 }) else { throw Failure() }
      }),
    Operation(
      name: "propagation in a transaction", count: 100,
      prepare: { world, count in world.kept = try world.items(count) },
      run: { world, _ in
        let other = ModelContext(world.container)
        let heard = try other.fetch(FetchDescriptor<Item>())
        try world.context.transaction {
          for case let item as Item in world.kept {
            item.size = 7
            try world.context.save()
          }
        }
        _ = try other.fetchCount(FetchDescriptor<Item>())
        guard heard.allSatisfy({ $0.size == 7 }) else { throw Failure() }
      }),
    Operation(name: "autosave", count: 400) { world, count in
      let context = ModelContext(world.container)
      context.autosaveEnabled = true
      for index in 0..<count { context.insert(Item(index)) }
    },
  ]
}
