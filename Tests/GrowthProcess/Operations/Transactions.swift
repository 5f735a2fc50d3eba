import SwiftData

extension Operation {
  static let transactions = [
    Operation(name: "transaction with saves", count: 100) { world, count in
      try world.context.transaction {
        for index in 0..<count {
          world.context.insert(Item(index))
          try world.context.save()
        }
      }
    },
    Operation(name: "transactions inside", count: 100) { world, count in
      try world.context.transaction {
        for index in 0..<count { try world.context.transaction { world.context.insert(Item(index)) } }
      }
    },
    Operation(name: "transactions inside that throw", count: 60) { world, count in
      try world.context.transaction {
        for index in 0..<count {
          world.context.insert(Item(index))
          // Without this save, each nested transaction would have to restore all items inserted so far, and its own
          // save would write all of them, so the cost would be quadratic.
          try world.context.save()
          try? world.context.transaction {
            world.context.insert(Item(-index))
            try world.context.save()
            throw Failure()
          }
        }
      }
    },
    Operation(
      name: "transactions inside over the same models", count: 100,
      prepare: { world, _ in world.kept = try world.items(20) },
      run: { world, count in
        try world.context.transaction {
          for index in 0..<count {
            try world.context.transaction { (world.kept[index % 20] as? Item)?.number += 1 }
          }
        }
      }),
    Operation(name: "transaction that throws", count: 100) { world, count in
      try? world.context.transaction {
        for index in 0..<count {
          world.context.insert(Item(index))
          try world.context.save()
        }
        throw Failure()
      }
    },
    Operation(name: "saves in a transaction that fail", count: 60) { world, count in
      try world.context.transaction {
        for index in 0..<count {
          world.context.insert(Item(index))
          let blot = Blot(.wet)
          world.context.insert(blot)
          guard (try? world.context.save()) == nil else { throw Failure() }
          world.context.delete(blot)
          try world.context.save()
        }
      }
    },
    Operation(name: "transactions in turn", count: 100) { world, count in
      for index in 0..<count { try world.context.transaction { world.context.insert(Item(index)) } }
    },
    Operation(name: "files in a transaction", count: 12, needsFile: true) { world, count in
      try world.context.transaction {
        for index in 0..<count {
          world.context.insert(Photo(Data(repeating: UInt8(index % 250), count: 101 << 10)))
          try world.context.save()
        }
      }
    },
    Operation(
      name: "roll back", count: 200, prepare: { world, count in world.kept = try world.items(count) },
      run: { world, _ in
        for case let item as Item in world.kept { item.number += 1 }
        world.context.rollback()
      }),
    Operation(
      name: "roll back one by one", count: 200, prepare: { world, count in world.kept = try world.items(20) },
      run: {
        world, count in
        for index in 0..<count {
          (world.kept[index % 20] as? Item)?.number += 1
          world.context.rollback()
        }
      }),
    Operation(
      name: "undo", count: 60,
      prepare: { world, count in
        world.kept = try world.items(count)
        world.context.undoManager = UndoManager()
      },
      run: { world, count in
        for case let item as Item in world.kept {
          item.number += 1
          try world.context.save()
        }
        for _ in 0..<count { world.context.undoManager?.undo() }
        try world.context.save()
      }),
    Operation(
      name: "undo of nothing", count: 100,
      prepare: { world, count in
        world.kept = try world.items(1)
        world.context.undoManager = UndoManager()
      },
      run: { world, count in
        for index in 0..<count {
          let item = Item(index)
          world.context.insert(item)
          world.context.delete(item)
          world.context.processPendingChanges()
          (world.kept.first as? Item)?.number += 1
          world.context.processPendingChanges()
        }
        try world.context.save()
      }),
  ]
}
