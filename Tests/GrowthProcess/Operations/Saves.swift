import SwiftData

extension Operation {
  static let saves = [
    Operation(name: "insert and save", count: 400) { world, count in
      for index in 0..<count { world.context.insert(Item(index)) }
      try world.context.save()
    },
    Operation(name: "save one by one", count: 100) { world, count in
      for index in 0..<count {
        world.context.insert(Item(index))
        try world.context.save()
      }
    },
    Operation(
      name: "update and save", count: 400, prepare: { world, count in world.kept = try world.items(count) },
      run: { world, _ in
        for case let item as Item in world.kept { item.number += 1 }
        try world.context.save()
      }),
    Operation(
      name: "update one by one", count: 100, prepare: { world, count in world.kept = try world.items(count) },
      run: { world, _ in
        for case let item as Item in world.kept {
          item.number += 1
          try world.context.save()
        }
      }),
    Operation(
      name: "delete", count: 400, prepare: { world, count in world.kept = try world.items(count) },
      run: { world, _ in
        for case let item as Item in world.kept { world.context.delete(item) }
        try world.context.save()
      }),
    Operation(
      name: "delete one by one", count: 100, prepare: { world, count in world.kept = try world.items(count) },
      run: { world, _ in
        for case let item as Item in world.kept {
          world.context.delete(item)
          try world.context.save()
        }
      }),
    Operation(
      name: "delete what others refer to", count: 100, prepare: { world, count in try keepNotes(of: world, count) },
      run: { world, _ in
        for case let note as Note in world.kept {
          if let item = note.item { world.context.delete(item) }
        }
        try world.context.save()
      }),
    Operation(
      name: "delete what others refer to, with reads between", count: 200,
      prepare: { world, count in try keepNotes(of: world, count) },
      run: { world, _ in try deleteItems(of: world, readingBetween: \Note.item) }),
    Operation(
      name: "delete what others refer to, with reads of a hierarchy between", count: 200,
      prepare: { world, count in
        for item in try world.items(count) { world.context.insert(OpenCrate("crate", item: item, depth: 1)) }
        try world.context.save()
        world.kept = try world.context.fetch(FetchDescriptor<Crate>())
      },
      run: { world, _ in try deleteItems(of: world, readingBetween: \Crate.item) }),
    Operation(
      name: "batch delete", count: 800, prepare: { world, count in try world.items(count) },
      run: { world, _ in
        try world.context.delete(model: Item.self, where: #Predicate { $0.number >= 0 })
        try world.context.save()
      }),
    Operation(
      name: "batch delete one by one", count: 100,
      prepare: { world, count in
        try world.items(count)
        world.forget()
      },
      run: { world, count in
        for number in 0..<count {
          try world.context.delete(model: Item.self, where: #Predicate { $0.number == number })
        }
        try world.context.save()
      }),
    Operation(name: "come and go unsaved", count: 400) { world, count in
      for index in 0..<count {
        let item = Item(index)
        world.context.insert(item)
        world.context.delete(item)
      }
    },
    Operation(
      name: "delete and take back", count: 400, prepare: { world, _ in world.kept = try world.items(1) },
      run: { world, count in
        guard let item = world.kept.first as? Item else { throw Failure() }
        for number in 0..<count {
          item.number = number
          world.context.delete(item)
          world.context.insert(item)
        }
        try world.context.save()
      }),
    Operation(
      name: "upsert", count: 200, prepare: { world, count in try saveSerials(to: world, count) },
      run: { world, count in
        for code in 0..<count { world.context.insert(Serial(code, count: 1)) }
        try world.context.save()
      }),
    Operation(
      name: "upsert one by one", count: 60, prepare: { world, count in try saveSerials(to: world, count) },
      run: { world, count in
        for code in 0..<count {
          world.context.insert(Serial(code, count: 1))
          try world.context.save()
        }
      }),
  ]

  /// Saves items with one note each, and keeps references to the notes.
  private static func keepNotes(of world: World, _ count: Int) throws {
    for item in try world.items(count) { world.context.insert(Note("note", item: item)) }
    try world.context.save()
    world.kept = try world.context.fetch(FetchDescriptor<Note>())
  }

  /// Deletes each item to which a kept model refers. Before each deletion it fetches one of the kept models, so that
  /// the context has to combine a fetch with pending deletions.
  private static func deleteItems<Referrer: PersistentModel>(
    of world: World, readingBetween relationship: KeyPath<Referrer, Item?>
  ) throws {
    var one = FetchDescriptor<Referrer>()
    one.fetchLimit = 1
    one.includePendingChanges = false
    for case let referrer as Referrer in world.kept {
      guard try world.context.fetch(one).count == 1 else { throw Failure() }
      if let item = referrer[keyPath: relationship] { world.context.delete(item) }
    }
    try world.context.save()
  }

  private static func saveSerials(to world: World, _ count: Int) throws {
    for code in 0..<count { world.context.insert(Serial(code)) }
    try world.context.save()
  }
}
