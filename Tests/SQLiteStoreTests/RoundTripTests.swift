import Foundation
import PersistenceCore
import SQLiteStore
import Testing

@Suite("Rows through the engine's functions")
struct RoundTripTests {
  @Test("values of every storage class are read exactly", arguments: [true, false])
  func valuesComeBack(isInMemory: Bool) throws {
    let folder = try TemporaryFolder()
    let store = try isInMemory ? .inMemory() : SampleStore(folder.configuration())
    let row: [String: RowValue] = [
      "name": .text("a\0b 🦆"), "note": "", "count": .integer(.min), "score": .real(-0.5), "rating": "NaN",
      "price": "12345678901234567890.123456789", "data": .blob([]), "code": "x",
    ]
    try store.insert([row, ["count": .blob([255, 0, 0, 0, 0, 0, 0, 1]), "data": .blob([0, 1, 2])]])
    #expect(try store.values(1) == store.row(row))
    #expect(try store.values(2)?[2] == .blob([255, 0, 0, 0, 0, 0, 0, 1]))
    #expect(try store.values(2)?[6] == .blob([0, 1, 2]))
    #expect(try store.values(3) == nil)
  }

  @Test("a mask selects the columns to read and write")
  func masks() throws {
    let store = try SampleStore.inMemory()
    try store.insert([["name": "a", "count": 1], ["name": "b", "count": 2]])
    let mask = PropertyMask.bit(SampleEntities.Item.count)
    try store.inTransaction { transaction in
      try transaction.update(store.entities.item, mask: mask, expecting: nil) { try $0.write([7, 2]) }
    }
    #expect(try store.values(2, mask: mask, columns: 1) == [7])
    #expect(try store.values(2)?[0] == "b")
    #expect(try store.values(1)?[2] == 1)
  }

  @Test("an update of a deleted row throws")
  func missingRow() throws {
    let store = try SampleStore.inMemory()
    let error = #expect(throws: SwiftDataError.self) {
      try store.inTransaction { transaction in
        try transaction.update(store.entities.item, mask: PropertyMask.bit(2), expecting: nil) {
          try $0.write([7, 99])
        }
      }
    }
    #expect(error == .modelNotFound)
  }

  @Test("a deletion returns the number of deleted rows, and their keys if requested")
  func deletion() throws {
    let store = try SampleStore.inMemory()
    try store.insert((0..<10).map { ["count": .integer($0)] })
    let request = FetchRequest(
      entity: store.entities.item,
      selection: .matching(
        store.tree {
          $0.append(.property(SampleEntities.Item.count))
          $0.append(QueryValue.integer(7))
          $0.append(.greaterOrEqual)
        }))
    #expect(try store.inTransaction { try $0.delete(from: store.entities.item, keys: [1, 2, 77]) } == 2)
    #expect(try store.inTransaction { try $0.delete(request) } == [8, 9, 10])
    #expect(try store.engine.count(FetchRequest(entity: store.entities.item), in: nil) == 5)
  }

  @Test("the join rows of a relationship keep their order through each change")
  func pairs() throws {
    let store = try SampleStore.inMemory()
    try store.insert((0..<6).map { ["count": .integer($0)] })
    try store.insertParents(["a", "b"])
    var held: [Int64] = []
    for targets in [[3, 1, 2], [3, 1, 2, 5], [1, 2, 5], [], [6, 1], [1, 6, 2, 5, 4, 3]] as [[Int64]] {
      try store.inTransaction { try store.relate(targets, instead: held, owner: 2, in: $0) }
      #expect(try store.members(of: [1, 2]) == targets.map { RelatedPair(owner: 2, target: $0) })
      held = targets
    }
    try store.inTransaction { try $0.delete(from: store.entities.item, keys: [6]) }
    #expect(try store.members(of: [2]).map(\.target) == [1, 2, 5, 4, 3])
  }

  @Test("rolling back to a savepoint undoes later changes only")
  func savepoints() throws {
    let store = try SampleStore.inMemory()
    try store.insert([["count": 1], ["count": 2], ["count": 3]])
    try store.inTransaction { transaction in
      try transaction.delete(from: store.entities.item, keys: [1])
      let point = try transaction.savepoint()
      try transaction.delete(from: store.entities.item, keys: [2, 3])
      try transaction.rollBack(to: point)
    }
    #expect(try store.engine.keys(FetchRequest(entity: store.entities.item), in: nil) == [2, 3])
  }

  @Test("keys are never reused, even after all rows are deleted", arguments: [true, false])
  func keysAreNotReused(isErased: Bool) throws {
    let folder = try TemporaryFolder()
    do {
      let store = try SampleStore(folder.configuration())
      try store.insert((0..<5).map { ["count": .integer($0)] })
      if isErased {
        try store.engine.erase {}
      } else {
        try store.inTransaction { try $0.delete(from: store.entities.item, keys: [1, 2, 3, 4, 5]) }
      }
      #expect(try store.engine.count(FetchRequest(entity: store.entities.item), in: nil) == 0)
      store.engine.close()
    }
    let store = try SampleStore(folder.configuration())
    #expect(try store.inTransaction { try $0.reserveKeys(10, for: store.entities.item) } == 6)
    #expect(try store.inTransaction { try $0.reserveKeys(1, for: store.entities.item) } == 16)
    #expect(try store.inTransaction { try $0.reserveKeys(1, for: store.entities.parent) } == 1)
  }

  @Test("erasing deletes rows and join rows, and foreign keys are still checked afterwards")
  func erasing() throws {
    let store = try SampleStore.inMemory()
    try store.insert([["count": 1]])
    try store.insertParents(["a"])
    try store.inTransaction {
      try store.relate([1], instead: [], owner: 1, in: $0)
    }
    try store.engine.erase {}
    #expect(try store.engine.count(FetchRequest(entity: store.entities.parent), in: nil) == 0)
    #expect(throws: SwiftDataError.modelValidationFailure) { try store.insert([["parent": 1]]) }
  }
}
