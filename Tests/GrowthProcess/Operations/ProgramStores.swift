import JSONStore
import SwiftData

extension Operation {
  /// Operations on custom stores that a program implements. They do not use the file of the world, so they are measured
  /// with one kind of store only.
  static let programStores = [
    program(
      "batch delete in a store of a program", count: 200, fill: { try fill($0, shelves: $1 / 10, books: 10) },
      run: { container, _ in
        let context = ModelContext(container)
        try context.delete(model: Shelf.self)
        try context.save()
      }),
    program(
      "batch delete of one list in a store of a program", count: 200, fill: { try fill($0, shelves: 1, books: $1) },
      run: { container, _ in
        let context = ModelContext(container)
        try context.delete(model: Book.self, where: #Predicate { $0.title != "" })
        try context.save()
      }),
    program(
      "batch delete of what has pairs in a store of a program", count: 100,
      fill: { try fill($0, shelves: $1 / 10, books: 10, tags: 5) },
      run: { container, _ in
        let context = ModelContext(container)
        try context.delete(model: Book.self, where: #Predicate { $0.title != "" })
        try context.save()
      }),
    program(
      "delete in a store of a program", count: 100, fill: { try fill($0, shelves: $1 / 10, books: 10) },
      run: { container, _ in
        let context = ModelContext(container)
        for book in try context.fetch(FetchDescriptor<Book>()) { context.delete(book) }
        try context.save()
      }),
    program(
      "delete one by one in a store of a program", count: 40, fill: { try fill($0, shelves: $1 / 4, books: 4) },
      run: { container, _ in
        let context = ModelContext(container)
        for shelf in try context.fetch(FetchDescriptor<Shelf>()) {
          context.delete(shelf)
          try context.save()
        }
      }),
    program(
      "save to a store of a program", count: 100,
      run: { container, count in
        let context = ModelContext(container)
        for index in 0..<count { context.insert(Item(index)) }
        try context.save()
      }),
    program(
      "save one by one to a store of a program", count: 40,
      run: { container, count in
        let context = ModelContext(container)
        for index in 0..<count {
          context.insert(Item(index))
          try context.save()
        }
      }),
    program(
      "saves in a transaction of a store of a program", count: 40,
      run: { container, count in
        let context = ModelContext(container)
        try context.transaction {
          for index in 0..<count {
            context.insert(Item(index))
            try context.save()
          }
        }
      }),
    program(
      "fetch from a store of a program", count: 200, fill: { try fill($0, shelves: $1 / 10, books: 10) },
      run: { container, _ in
        let context = ModelContext(container)
        for _ in 0..<2 { _ = try context.fetch(FetchDescriptor<Book>()).count }
      }),
    program(
      "read lists of a store of a program", count: 200, fill: { try fill($0, shelves: $1 / 10, books: 10) },
      run: { container, _ in
        let context = ModelContext(container)
        for shelf in try context.fetch(FetchDescriptor<Shelf>()) where shelf.books.count != 10 { throw Failure() }
      }),
    program(
      "read one list of a store of a program", count: 200, fill: { try fill($0, shelves: 1, books: $1) },
      run: { container, count in
        let context = ModelContext(container)
        let shelf = try context.fetch(FetchDescriptor<Shelf>()).first
        guard shelf?.books.count == count else { throw Failure() }
      }),
    program(
      "read references of a store of a program", count: 200, fill: { try fill($0, shelves: $1, books: 1) },
      run: { container, _ in
        let context = ModelContext(container)
        for book in try context.fetch(FetchDescriptor<Book>()) where book.shelf?.name == nil { throw Failure() }
      }),
    program(
      "move in a list of a store of a program", count: 20,
      fill: { container, _ in try fill(container, shelves: 1, books: 8) },
      run: { container, count in
        let context = ModelContext(container)
        guard let shelf = try context.fetch(FetchDescriptor<Shelf>()).first else { throw Failure() }
        for index in 0..<count {
          shelf.books.swapAt(index % 8, (index + 3) % 8)
          try context.save()
        }
      }),
    json(
      "batch delete in JSON files", count: 100,
      run: { container, _ in
        let context = ModelContext(container)
        try context.delete(model: Shelf.self, where: #Predicate { $0.name != "" })
        try context.save()
      }),
    json(
      "change models in JSON files", count: 400,
      run: { container, _ in
        let context = ModelContext(container)
        for book in try context.fetch(FetchDescriptor<Book>()) { book.title += "!" }
        try context.save()
      }),
  ]

  /// Creates an operation on the example JSONStore, a custom store that keeps its rows in a JSON file.
  private static func json(
    _ name: String, count: Int, run: @escaping @Sendable (ModelContainer, Int) throws -> Void
  ) -> Operation {
    @Sendable func open(beside world: World) throws -> ModelContainer {
      let folder = world.url.deletingLastPathComponent().appending(path: "json")
      return try ModelContainer(
        for: Schema([Shelf.self, Book.self, Tag.self]), configurations: [JSONStoreConfiguration(folder: folder)])
    }
    return Operation(
      name: name, count: count, needsFile: true,
      prepare: { world, count in
        let container = try open(beside: world)
        try container.erase()
        try fill(container, shelves: count / 10, books: 10)
        world.kept = [try open(beside: world)]
      },
      run: { world, count in
        guard let container = world.kept.first as? ModelContainer else { throw Failure() }
        try run(container, count)
      })
  }

  /// - Parameters:
  ///   - fill: Fills the custom store, in a container of its own.
  ///   - run: The measured operation, in a new container that has read no rows.
  private static func program(
    _ name: String, count: Int, fill: @escaping @Sendable (ModelContainer, Int) throws -> Void = { _, _ in },
    run: @escaping @Sendable (ModelContainer, Int) throws -> Void
  ) -> Operation {
    Operation(
      name: name, count: count, needsFile: true,
      prepare: { world, count in
        let rows = ProgramRows()
        try fill(rows.open(), count)
        world.kept = [try rows.open()]
      },
      run: { world, count in
        guard let container = world.kept.first as? ModelContainer else { throw Failure() }
        try run(container, count)
      })
  }

  private static func fill(_ container: ModelContainer, shelves: Int, books: Int, tags: Int = 0) throws {
    let context = ModelContext(container)
    let tags = (0..<tags).map { Tag("tag \($0)") }
    for number in 0..<shelves {
      let shelf = Shelf("shelf \(number)")
      context.insert(shelf)
      shelf.books = (0..<books).map { Book("book \($0)") }
      for (index, book) in shelf.books.enumerated() where !tags.isEmpty {
        book.tags = [tags[index % tags.count], tags[(index + 1) % tags.count]]
      }
    }
    try context.save()
  }
}
