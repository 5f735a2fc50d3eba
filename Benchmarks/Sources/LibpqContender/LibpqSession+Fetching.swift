#if PostgreSQL
  import BenchmarkCore

  extension LibpqSession {
    func fetchAll(_ stopwatch: Stopwatch) throws -> Int {
      let items = try stopwatch.measure { try all() }
      return Checksum.ofAll(items)
    }

    func fetchAndFree(_ stopwatch: Stopwatch) throws -> Int {
      try stopwatch.measure { Checksum.ofQuery(try all()) }
    }

    func fetchValues(_ stopwatch: Stopwatch) throws -> Int {
      let items = try stopwatch.measure {
        var items: [LibpqItemValue] = []
        try connection.forEachRow("SELECT \(LibpqItem.columns) FROM item") { items.append(LibpqItemValue(row: $0)) }
        return items
      }
      return Checksum.ofAll(items)
    }

    func readThreeFields(_ stopwatch: Stopwatch) throws -> Int {
      let items = try all()
      return stopwatch.measure {
        items.reduce(0) { $0 &+ Checksum.ofThreeFields($1) }
      }
    }

    func rangeInIndexOrder(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      let statement = try rangeStatement()
      return try stopwatch.measure {
        try plan.wideRanges.reduce(0) { sum, range in
          statement.bind(range.lowerBound, range.upperBound, plan.limit)
          return sum &+ Checksum.ofQuery(try statement.run().items())
        }
      }
    }

    func rangeSortedByName(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      let statement = try statement(
        "SELECT \(LibpqItem.columns) FROM item WHERE count >= $1 AND count < $2 ORDER BY name", .int8, .int8)
      return try stopwatch.measure {
        try plan.narrowRanges.reduce(0) { sum, range in
          statement.bind(range.lowerBound, range.upperBound)
          return sum &+ Checksum.ofQuery(try statement.run().items())
        }
      }
    }

    func lookUpCold(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      try lookUp(plan.shuffled(try identifiers()), stopwatch)
    }

    private func identifiers() throws -> [Int64] {
      let result = try statement("SELECT id FROM item ORDER BY id").run()
      return (0..<result.count).map { result.row($0).integer(0) }
    }

    /// Requests each row only after the previous row has arrived, like a program that follows references from row to
    /// row.
    private func lookUp(_ identifiers: [Int64], _ stopwatch: Stopwatch) throws -> Int {
      let statement = try statement("SELECT \(LibpqItem.columns) FROM item WHERE id = $1", .int8)
      return try stopwatch.measure {
        try identifiers.reduce(0) { sum, identifier in
          statement.bind(identifier, at: 0)
          let result = try statement.run()
          return sum &+ (result.count == 1 ? LibpqItem(row: result.row(0)).count : 0)
        }
      }
    }

    func lookUpInGroups(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      let groups = plan.shuffledGroups(try identifiers())
      let statement = try statement("SELECT \(LibpqItem.columns) FROM item WHERE id = ANY($1)", .int8Array)
      return try stopwatch.measure {
        try groups.reduce(0) { sum, group in
          statement.bind(LibpqBytes.array(group), at: 0)
          return try statement.run().items().reduce(sum) { $0 &+ $1.count }
        }
      }
    }

    /// Hand-written code has no identity map, so a row that is already in memory is still looked up in the database.
    func lookUpRegistered(_ plan: WorkPlan, inOrder: Bool, _ stopwatch: Stopwatch) throws -> Int {
      let items = try all()
      let identifiers = try identifiers()
      return try withExtendedLifetime(items) {
        try lookUp(inOrder ? identifiers : plan.shuffled(identifiers), stopwatch)
      }
    }

    func identifiersInSet(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      let items = try all()
      let lookedUp = plan.shuffled(items.map(\.reference))
      return stopwatch.measure {
        var references = Set<LibpqReference>(minimumCapacity: plan.setCapacity)
        for item in items { references.insert(item.reference) }
        return Checksum.ofSet(references, lookedUp: lookedUp)
      }
    }

    func countRange(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      let statement = try statement("SELECT count(*) FROM item WHERE count >= $1 AND count < $2", .int8, .int8)
      return try stopwatch.measure {
        try plan.wideRanges.reduce(0) { sum, range in
          statement.bind(range.lowerBound, range.upperBound)
          return sum &+ (try statement.run().number)
        }
      }
    }

    func countAll(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      let statement = try statement("SELECT count(*) FROM item")
      return try stopwatch.measure {
        try (0..<plan.counts).reduce(0) { sum, _ in sum &+ (try statement.run().number) }
      }
    }

    func findNone(_ plan: WorkPlan, byPredicate: Bool, _ stopwatch: Stopwatch) throws -> Int {
      let statement =
        byPredicate
        ? try statement("SELECT \(LibpqItem.columns) FROM item WHERE count >= $1 AND count < $2", .int8, .int8)
        : try statement("SELECT \(LibpqItem.columns) FROM item LIMIT $1", .int8)
      let ranges = plan.emptyRanges
      return try stopwatch.measure {
        try ranges.reduce(0) { sum, range in
          if byPredicate { statement.bind(range.lowerBound, range.upperBound) } else { statement.bind(0) }
          return sum &+ (try statement.run().items().count)
        }
      }
    }

    func firstRows(of range: Range<Int>, limit: Int) throws -> Int {
      let result = try connection.query(
        """
        SELECT \(LibpqItem.columns) FROM item WHERE count >= \(range.lowerBound) AND count < \(range.upperBound)
        ORDER BY count LIMIT \(limit)
        """)
      return Checksum.ofQuery(result.items())
    }

    private func rangeStatement() throws -> LibpqStatement {
      try statement(
        "SELECT \(LibpqItem.columns) FROM item WHERE count >= $1 AND count < $2 ORDER BY count LIMIT $3", .int8, .int8,
        .int8)
    }
  }
#endif
