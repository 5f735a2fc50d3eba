import SwiftData

extension Operation {
  static let others = [
    Operation(
      name: "migrate", count: 400, needsFile: true,
      prepare: { world, count in
        let context = ModelContext(try open(Before.Wagon.self, beside: world))
        for index in 0..<count { context.insert(Before.Wagon("wagon \(index)")) }
        try context.save()
      },
      run: { world, _ in
        let context = ModelContext(try open(After.Wagon.self, beside: world))
        _ = try context.fetchCount(FetchDescriptor<After.Wagon>())
        // The file is deleted, so that the next round creates a new store and migrates it.
        try FileManager.default.removeItem(at: wagons(beside: world))
      }),
    Operation(name: "open", count: 10, needsFile: true) { world, count in
      for _ in 0..<count { _ = try open(Before.Wagon.self, beside: world) }
      try FileManager.default.removeItem(at: wagons(beside: world))
    },
    Operation(
      name: "erase", count: 400, prepare: { world, count in try world.items(count) },
      run: { world, _ in
        try world.container.erase()
      }),
  ]

  private static func wagons(beside world: World) -> URL { world.url.appendingPathExtension("wagons") }

  private static func open(_ model: any PersistentModel.Type, beside world: World) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([model]), configurations: [ModelConfiguration(schema: Schema([model]), url: wagons(beside: world))])
  }
}
