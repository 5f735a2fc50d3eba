#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import SQLEngine
  import SeededNumbers
  import Testing

  @Suite("The session of a store in PostgreSQL")
  struct PostgresSessionTests {
    /// Executes the request, and returns the values of all rows.
    private func rows(_ request: FetchRequest, in store: TestDatabase) throws -> [[StoredValue]] {
      var result: [[StoredValue]] = []
      try store.session.fetch(request) { result = try values(of: $0) }
      return result
    }

    @Test("one statement writes many rows with values of every type, and the rows are read as they were written")
    func roundTrip() throws {
      let seed = SeededGenerator.chosenSeed
      var grammar = SpecimenGrammar(random: SeededGenerator(seed: seed))
      let store = try TestDatabase(Specimen.self)
      let specimens = (0..<300).map { grammar.specimen($0) }
      try store.insert(specimens)
      let request = FetchRequest(entity: try store.table(Specimen.self).entity)
      let found = try rows(request, in: store)
      #expect(found.count == 300)
      for (index, specimen) in specimens.enumerated() {
        let wanted = [.integer(Int64(index + 1))] + (try store.values(of: specimen))
        #expect(found[index].first(wanted.count) == wanted, "seed \(seed), row \(index)")
      }
    }

    @Test("an update changes the columns of a mask in many rows, and returns the keys of the rows that exist")
    func update() throws {
      let store = try TestDatabase(Specimen.self)
      let specimens = (0..<5).map { Specimen($0) }
      try store.insert(specimens)
      let table = try store.table(Specimen.self)
      for (index, specimen) in specimens.enumerated() {
        specimen.name = "new \(index)"
        specimen.size = .max
        specimen.count = 77
      }
      let names = ["name", "size"]
      let mask = table.entity.properties.filter { names.contains($0.name) }.reduce(UInt64(0)) { $0 | $1.bit }
      let batch = PostgresBatch(store.statements.typesOfUpdate(table, mask: mask))
      let rows: [(key: Int64, object: Specimen)] = [(1, specimens[0]), (3, specimens[2]), (99, specimens[4])]
      try store.write(rows, to: batch, mask: mask, keyComesFirst: false)
      let statement = PostgresStatement(store.statements.update(table, mask: mask), try batch.parameters())
      let result = try store.connection.run(statement)
      let changed = (0..<result.rowCount).compactMap { result.integer($0, 0) }
      #expect(Set(changed) == [1, 3])
      let again = (0..<5).map { Specimen($0) }
      for index in [0, 2] { (again[index].name, again[index].size) = ("new \(index)", .max) }
      let found = try self.rows(FetchRequest(entity: table.entity), in: store)
      for (index, specimen) in again.enumerated() {
        let wanted = [.integer(Int64(index + 1))] + (try store.values(of: specimen))
        #expect(found[index].first(wanted.count) == wanted)
      }
    }

    @Test("requests select rows by predicate, key and keys, with limit and offset, and their rows can be counted")
    func requests() throws {
      let store = try TestDatabase(Specimen.self)
      let specimens = (1...9).map { Specimen($0) }
      for specimen in specimens { specimen.count = specimen.code % 3 }
      try store.insert(specimens)
      let entity = try store.table(Specimen.self).entity
      var request = FetchRequest(
        entity: entity, selection: .matching(try store.tree(#Predicate<Specimen> { $0.count == 1 })))
      #expect(try store.session.keys(request) == [1, 4, 7])
      #expect(try store.session.count(request) == 3)
      (request.limit, request.offset) = (1, 1)
      #expect(try store.session.keys(request) == [4])
      #expect(try store.session.count(request) == 1)
      request.mask = 0
      #expect(try rows(request, in: store).map { $0.first(2) } == [[.integer(4), .null]])
      for (selection, keys) in [(.key(5), [5]), (.key(50), []), (.keys([2, 3, 40]), [2, 3]), (.keys([]), [])]
        as [(FetchSelection, [Int64])]
      {
        let request = FetchRequest(entity: entity, selection: selection)
        #expect(Set(try store.session.keys(request)) == Set(keys))
        #expect(try store.session.count(request) == keys.count)
        #expect(Set(try rows(request, in: store).map(\.[0])) == Set(keys.map { .integer($0) }))
      }
    }

    @Test("a session can be used again after only a part of the rows was read, and after an error between rows")
    func rest() throws {
      let store = try TestDatabase(Specimen.self)
      try store.insert((1...2_000).map { Specimen($0) })
      let request = FetchRequest(entity: try store.table(Specimen.self).entity)
      for count in [0, 1, 500] {
        try store.session.fetch(request) { rows in
          for _ in 0..<count { _ = rows.functions.pointee.step(rows.row) }
        }
        #expect(throws: CancellationError.self) {
          try store.session.fetch(request) { rows in
            for _ in 0..<count { _ = rows.functions.pointee.step(rows.row) }
            throw CancellationError()
          }
        }
        #expect(try store.session.count(request) == 2_000)
      }
    }

    @Test("an error of the server between two rows is thrown by the step that reads the next row")
    func failure() throws {
      let store = try TestDatabase(Specimen.self)
      try store.insert((1...3).map { Specimen($0) })
      let request = FetchRequest(entity: try store.table(Specimen.self).entity)
      let session = store.session
      try store.connection.execute("ALTER TABLE \(store.dialect.table("Specimen")) DROP COLUMN \"weight\"")
      let error = #expect(throws: SwiftDataError.self) { try session.fetch(request) { _ = try values(of: $0) } }
      #expect((error?.underlyingError as? SwiftDataError.PostgresError)?.sqlState == "42703")
      #expect(try session.count(request) == 3)
    }

    @Test("a value that does not fit its column type is rejected before anything is sent")
    func refusedValue() throws {
      let store = try TestDatabase(Specimen.self)
      let batch = PostgresBatch([.value(.reference), .value(.text)])
      let statement = batch.statement
      let bytes: [UInt8] = [0x61, 0]
      let code = bytes.withUnsafeBufferPointer {
        statement.functions.pointee.text(statement.statement, 2, $0.baseAddress, 2)
      }
      #expect(code != 0)
      #expect(statement.error(code) == .valueNotStorable)
      #expect(throws: SwiftDataError.self) { try batch.parameters() }
      batch.removeAll()
      #expect(
        try store.connection.run(PostgresStatement("SELECT 1 FROM unnest($1::int8[], $2::text[])", batch.parameters()))
          .rowCount == 0)
    }

    @Test("related rows are read for one owner, some owners and all owners, by a reference column and by join rows")
    func members() throws {
      let store = try TestDatabase(Holder.self, Holding.self, Ship.self)
      let holders = (1...3).map { (number: Int) in Holder("h\(number)", number: number) }
      try store.insert(holders)
      let (holding, friends) = (store.dialect.table("Holding"), try store.table(Holder.self))
      for (key, owner) in [(1, 1), (2, 2), (3, 1)] {
        try store.connection.execute(
          "INSERT INTO \(holding) (\"_osd_key\", \"_osd_entity\", \"title\", \"holder\") "
            + "VALUES (\(key), 'Holding', 't\(key)', \(owner))")
      }
      let entity = friends.entity
      let owned = try #require(entity.relationships.first { $0.destination == "Holding" })
      let paired = try #require(entity.relationships.first { $0.destination == "Holder" })
      let link = try #require(friends.links[paired.position])
      try store.connection.execute(
        "INSERT INTO \(store.dialect.table(link.name)) (\"\(link.owner.column)\", \"\(link.target.column)\") "
          + "VALUES (1, 3), (1, 2), (2, 3)")
      func keys(_ relationship: RelationshipLayout, _ destination: EntityLayout, _ owners: MemberRequest.Owners) throws
        -> [Int64]
      {
        var result: [Int64] = []
        let request = MemberRequest(
          relationship: relationship, entity: entity, destination: destination, owners: owners)
        try store.session.members(request) { rows in
          let owner = try #require(request.columns.owner)
          result = try values(of: rows).compactMap { row in
            guard case .integer(let key) = row[0], case .integer(let holder) = row[Int(owner)] else { return nil }
            return holder * 10 + key
          }
        }
        return result
      }
      let destination = try store.table(Holding.self).entity
      #expect(Set(try keys(owned, destination, .one(1))) == [11, 13])
      #expect(Set(try keys(owned, destination, .some([1, 2]))) == [11, 13, 22])
      #expect(Set(try keys(owned, destination, .all)) == [11, 13, 22])
      #expect(try keys(paired, entity, .one(1)) == [13, 12])
      #expect(try keys(paired, entity, .some([1, 2, 7])).count == 3)
      #expect(try Set(store.session.pairs(of: owned, in: entity, owners: [1]).map(\.target)) == [1, 3])
      #expect(try Set(store.session.pairs(of: paired, in: entity, owners: [1, 2]).map(\.target)) == [2, 3])
    }
  }
#endif
