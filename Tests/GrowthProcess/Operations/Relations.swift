import SwiftData

extension Operation {
  static let relations = [
    Operation(name: "relate to one", count: 200) { world, count in
      let shelf = Shelf("shelf")
      world.context.insert(shelf)
      for index in 0..<count { shelf.books.append(Book("book \(index)")) }
      try world.context.save()
    },
    Operation(name: "relate to one where some model is observed", count: 2_000) { world, count in
      let (shelf, other) = (Shelf("shelf"), Shelf("other"))
      world.context.insert(shelf)
      withObservationTracking {
        _ = other.books.count
      } onChange: {
      }
      for index in 0..<count { shelf.books.append(Book("book \(index)")) }
      try world.context.save()
    },
    Operation(name: "relate to one from the other end", count: 200) { world, count in
      let shelf = Shelf("shelf")
      world.context.insert(shelf)
      for index in 0..<count {
        let book = Book("book \(index)")
        world.context.insert(book)
        book.shelf = shelf
      }
      try world.context.save()
    },
    Operation(
      name: "relate to one that came back", count: 1_000,
      prepare: { world, count in
        let books = (0..<count).map { Book("book \($0)") }
        books.forEach(world.context.insert)
        try world.context.save()
        let shelf = Shelf("shelf")
        world.context.insert(shelf)
        world.context.rollback()
        world.kept = books
        world.kept.append(shelf)
      },
      run: { world, _ in
        guard let shelf = world.kept.last as? Shelf else { throw Failure() }
        world.context.insert(shelf)
        for case let book as Book in world.kept { book.shelf = shelf }
        try world.context.save()
      }),
    Operation(
      name: "insert again what was rolled back", count: 2_000,
      prepare: { world, count in
        let shelf = Shelf("shelf")
        world.context.insert(shelf)
        shelf.books = (0..<count).map { Book("book \($0)") }
        world.context.rollback()
        world.kept = [shelf]
      },
      run: { world, count in
        guard let shelf = world.kept.first as? Shelf else { throw Failure() }
        world.context.insert(shelf)
        guard shelf.books.count == count else { throw Failure() }
        try world.context.save()
      }),
    Operation(
      name: "give back what must have an owner", count: 2_000,
      prepare: { world, count in
        let anchor = Anchor("anchor")
        world.context.insert(anchor)
        let ropes = (0..<count).map { Rope("rope \($0)", anchor: anchor) }
        ropes.forEach(world.context.insert)
        try world.context.save()
        world.kept = ropes
        world.kept.append(anchor)
      },
      run: { world, count in
        guard let anchor = world.kept.last as? Anchor else { throw Failure() }
        anchor.ropes = []
        for case let rope as Rope in world.kept { rope.anchor = anchor }
        guard anchor.ropes.count == count else { throw Failure() }
        try world.context.save()
      }),
    Operation(name: "relate to many", count: 60) { world, count in
      try world.shelves(count, books: 4)
    },
    Operation(name: "relate in pairs", count: 60) { world, count in
      let tags = (0..<8).map { Tag("tag \($0)") }
      tags.forEach(world.context.insert)
      for index in 0..<count {
        let book = Book("book \(index)")
        world.context.insert(book)
        book.tags = [tags[index % 8], tags[(index + 1) % 8]]
      }
      try world.context.save()
    },
    Operation(
      name: "traverse", count: 60,
      prepare: { world, count in
        try world.shelves(count, books: 4)
        world.forget()
      },
      run: { world, count in
        let shelves = try world.context.fetch(FetchDescriptor<Shelf>())
        guard shelves.reduce(0, { $0 + $1.books.count }) == count * 4 else { throw Failure() }
        world.kept = shelves
      }),
    Operation(
      name: "traverse one by one", count: 60,
      prepare: { world, count in
        try world.shelves(count, books: 4)
        world.forget()
      },
      run: { world, _ in
        for identifier in try world.context.fetchIdentifiers(FetchDescriptor<Shelf>()) {
          guard let shelf = world.context.model(for: identifier) as? Shelf, shelf.books.count == 4 else {
            throw Failure()
          }
        }
      }),
    Operation(
      name: "traverse a moved list", count: 100,
      prepare: { world, count in
        for shelf in try world.shelves(count / 10, books: 10) { shelf.books.reverse() }
        try world.context.save()
        world.kept = []
      },
      run: { world, count in
        for _ in 0..<2 {
          for shelf in try world.context.fetch(FetchDescriptor<Shelf>()) {
            guard shelf.books.first?.title == "book 9" else { throw Failure() }
          }
        }
      }),
    Operation(
      name: "take out one by one", count: 240,
      prepare: { world, count in world.kept = try world.shelves(1, books: count) },
      run: { world, count in
        guard let shelf = world.kept.first as? Shelf else { throw Failure() }
        for _ in 0..<count {
          shelf.books.removeLast()
          try world.context.save()
        }
      }),
    Operation(
      name: "take out of the middle one by one", count: 240,
      prepare: { world, count in world.kept = try world.shelves(1, books: count) },
      run: { world, count in
        guard let shelf = world.kept.first as? Shelf else { throw Failure() }
        for _ in 0..<count {
          shelf.books.remove(at: shelf.books.count / 2)
          try world.context.save()
        }
      }),
    Operation(
      name: "take out one by one from the other end", count: 240,
      prepare: { world, count in world.kept = try world.shelves(1, books: count) },
      run: { world, _ in
        guard let shelf = world.kept.first as? Shelf else { throw Failure() }
        for book in shelf.books {
          book.shelf = nil
          try world.context.save()
        }
        guard shelf.books.isEmpty else { throw Failure() }
      }),
    Operation(
      name: "delete one by one what refers to what is gone", count: 500,
      prepare: { world, count in
        let anchor = Anchor("anchor")
        world.context.insert(anchor)
        let ropes = (0..<count).map { Rope("rope \($0)", anchor: anchor) }
        ropes.forEach(world.context.insert)
        try world.context.save()
        guard anchor.ropes.count == count else { throw Failure() }
        world.context.delete(anchor)
        try world.context.save()
        world.kept = ropes
      },
      run: { world, _ in
        for case let rope as Rope in world.kept {
          world.context.delete(rope)
          try world.context.save()
        }
      }),
    Operation(
      name: "cascade", count: 60, prepare: { world, count in world.kept = try world.shelves(count, books: 4) },
      run: { world, _ in
        for case let shelf as Shelf in world.kept { world.context.delete(shelf) }
        try world.context.save()
      }),
    Operation(
      name: "cascade of one", count: 200,
      prepare: { world, count in
        try world.shelves(1, books: count)
        world.forget()
      },
      run: { world, _ in
        for shelf in try world.context.fetch(FetchDescriptor<Shelf>()) { world.context.delete(shelf) }
        try world.context.save()
      }),
  ]
}
