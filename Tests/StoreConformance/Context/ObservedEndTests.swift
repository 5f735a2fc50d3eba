import SeededNumbers
import SwiftData
import Testing

/// The kinds of relationships between a few objects. The tests change each end of a relationship in every way.
private enum RelationshipKind: String, CaseIterable {
  case oneToMany, required, oneToOne, manyToMany, partners, friends

  func insertObjects(in context: ModelContext) {
    switch self {
    case .oneToMany: for object in [Shop("L0"), Shop("L1"), Ware("R0"), Ware("R1")] as [any Named] { insert(object) }
    case .required:
      let first = Receipt("L0")
      for object in [
        first, Receipt("L1"), ReceiptLine("R0", receipt: first), ReceiptLine("R1", receipt: first),
      ] as [any Named] { insert(object) }
    case .oneToOne: for object in [Driver("L0"), Driver("L1"), Car("R0"), Car("R1")] as [any Named] { insert(object) }
    case .manyToMany:
      for object in [Student("L0"), Student("L1"), Course("R0"), Course("R1")] as [any Named] { insert(object) }
    case .partners, .friends: for name in ["P0", "P1", "P2"] { context.insert(Person(name)) }
    }
    func insert(_ object: some Named) { context.insert(object) }
  }
}

/// One way to change one end of a relationship.
private struct EndChange {
  let name: String
  /// Reads the new value, and returns a closure that sets it. Like an in-place change, it reads the list before
  /// observers run.
  let resolve: () -> () -> Void
  /// Makes the change in one step, as user code does.
  let run: () -> Void

  init(_ name: String, run: @escaping () -> Void) {
    self.name = name
    self.run = run
    resolve = { run }
  }

  init(_ name: String, run: @escaping () -> Void, resolve: @escaping () -> () -> Void) {
    self.name = name
    self.run = run
    self.resolve = resolve
  }
}

/// The objects of one context, and the ends of their relationship.
private struct EndGraph {
  private(set) var changes: [EndChange] = []
  /// For each end, its name, and a closure that reads the names of its members.
  private(set) var ends: [(name: String, read: () -> [String])] = []

  init(_ kind: RelationshipKind, _ context: ModelContext) throws {
    func all<T: Named>(_ type: T.Type) throws -> [T] {
      try context.fetch(FetchDescriptor<T>()).sorted { $0.name < $1.name }
    }
    switch kind {
    case .oneToMany:
      let (shops, wares) = (try all(Shop.self), try all(Ware.self))
      addLists(
        of: shops, wares, \.wares, append: { $0.wares.append($1) },
        remove: { shop, ware in shop.wares.removeAll { $0 === ware } })
      addReferences(of: wares, shops, \.shop)
    case .required:
      let receipts = try all(Receipt.self)
      for receipt in receipts { ends.append((receipt.name, { receipt.lines.names })) }
      for line in try all(ReceiptLine.self) {
        ends.append((line.name, { [line.receipt.name] }))
        for receipt in receipts {
          changes.append(EndChange("\(line.name) = \(receipt.name)") { line.receipt = receipt })
        }
      }
    case .oneToOne:
      let (drivers, cars) = (try all(Driver.self), try all(Car.self))
      addReferences(of: drivers, cars, \.car)
      addReferences(of: cars, drivers, \.driver)
    case .manyToMany:
      let (students, courses) = (try all(Student.self), try all(Course.self))
      addLists(
        of: students, courses, \.courses, append: { $0.courses.append($1) },
        remove: { student, course in student.courses.removeAll { $0 === course } })
      addLists(
        of: courses, students, \.students, append: { $0.students.append($1) },
        remove: { course, student in course.students.removeAll { $0 === student } })
    case .partners:
      let people = try all(Person.self)
      addReferences(of: people, people, \.partner)
    case .friends:
      let people = try all(Person.self)
      addLists(
        of: people, Array(people.prefix(2)), \.friends, append: { $0.friends.append($1) },
        remove: { person, friend in person.friends.removeAll { $0 === friend } })
    }
  }

  private mutating func addLists<Owner: Named, Member: Named>(
    of owners: [Owner], _ members: [Member], _ path: ReferenceWritableKeyPath<Owner, [Member]>,
    append: @escaping (Owner, Member) -> Void, remove: @escaping (Owner, Member) -> Void
  ) {
    let (first, second) = (members[0], members[1])
    for owner in owners {
      ends.append((owner.name, { owner[keyPath: path].names }))
      for list in [[], [first], [second, first]] {
        changes.append(EndChange("\(owner.name) = \(list.names)") { owner[keyPath: path] = list })
      }
      let appended = EndChange("\(owner.name) + \(first.name)") {
        append(owner, first)
      } resolve: {
        let list = owner[keyPath: path] + [first]
        return { owner[keyPath: path] = list }
      }
      let removed = EndChange("\(owner.name) - \(first.name)") {
        remove(owner, first)
      } resolve: {
        let list = owner[keyPath: path].filter { $0 !== first }
        return { owner[keyPath: path] = list }
      }
      changes += [appended, removed]
    }
  }

  private mutating func addReferences<Owner: Named, Target: Named>(
    of owners: [Owner], _ targets: [Target], _ path: ReferenceWritableKeyPath<Owner, Target?>
  ) {
    for owner in owners {
      ends.append((owner.name, { owner[keyPath: path].map { [$0.name] } ?? [] }))
      changes.append(EndChange("\(owner.name) = nil") { owner[keyPath: path] = nil })
      for target in targets {
        changes.append(EndChange("\(owner.name) = \(target.name)") { owner[keyPath: path] = target })
      }
    }
  }

  /// The members of each end, in the order of the list.
  var state: [String: [String]] { Dictionary(uniqueKeysWithValues: ends.map { ($0.name, $0.read()) }) }

  /// The members of each end, sorted, because the order of a list depends on which end was set last.
  var members: [String: [String]] { state.mapValues { $0.sorted() } }

  /// True if both ends are consistent: each end lists a member once, and this member's end lists the owner once.
  var agrees: Bool {
    let state = state
    return state.allSatisfy { name, members in
      Set(members).count == members.count
        && members.allSatisfy { member in state[member]?.filter { $0 == name }.count == 1 }
    }
  }
}

/// What the observer does when it is notified.
private enum Meddling: CaseIterable {
  case change, save, rollback
}

@Suite("Observers that act before an observed change of a relationship is applied", .serialized)
@MainActor
struct ObservedEndTests {
  /// How the objects are related before the change: not at all, saved, or by an unsaved change.
  private enum Start: CaseIterable {
    case unrelated, related, pending
  }

  /// Creates a context, and relates its objects as `start` requires.
  private func begin(_ kind: RelationshipKind, _ start: Start, _ store: TestStore) throws -> ModelContext {
    let context = store.context()
    let graph = try EndGraph(kind, context)
    // Clears all relationships. A required reference cannot be cleared, so it is set to the first object.
    for change in graph.changes where change.name.hasSuffix("= []") || change.name.hasSuffix("= nil") { change.run() }
    if kind == .required { for change in graph.changes where change.name.hasSuffix("= L0") { change.run() } }
    if start == .related { relate(graph) }
    try context.save()
    let fresh = store.context()
    if start == .pending { relate(try EndGraph(kind, fresh)) }
    return fresh
  }

  /// Relates some of the objects.
  private func relate(_ graph: EndGraph) {
    for name in ["L0 = [\"R0\"]", "L1 = R1", "R1 = L1", "P0 = [\"P0\"]", "P1 = [\"P1\", \"P0\"]", "P0 = P1"] {
      for change in graph.changes where change.name == name { change.run() }
    }
  }

  /// The members of each end if the observer's action runs completely before the change.
  private func expectedMembers(
    _ kind: RelationshipKind, _ start: Start, _ store: TestStore, change: Int, _ meddling: Meddling, _ other: Int
  ) throws -> [String: [String]] {
    let context = try begin(kind, start, store)
    let graph = try EndGraph(kind, context)
    let late = graph.changes[change].resolve()
    switch meddling {
    case .change: graph.changes[other].run()
    case .save: try context.save()
    case .rollback: context.rollback()
    }
    late()
    return graph.members
  }

  /// Runs `body` before an observed end changes. The observer registers again after each run, until it has run `count`
  /// times.
  private func observe(
    _ read: @escaping () -> [String], atMost count: Int, _ runs: Log<Bool>, _ body: @escaping () -> Void
  ) {
    // `nonisolated(unsafe)` is safe here, because all code runs synchronously on this thread.
    nonisolated(unsafe) let (unsafeRead, unsafeBody) = (read, body)
    @Sendable func track() {
      withObservationTracking {
        _ = unsafeRead()
      } onChange: {
        guard runs.entries.count < count else { return }
        runs.add(true)
        if runs.entries.count < count { track() }
        unsafeBody()
      }
    }
    track()
  }

  private func check(
    _ kind: RelationshipKind, _ start: Start, _ store: TestStore, change: Int, _ meddling: Meddling, _ other: Int,
    observing end: Int, atMost count: Int
  ) throws {
    let context = try begin(kind, start, store)
    let graph = try EndGraph(kind, context)
    let runs = Log<Bool>()
    observe(graph.ends[end].read, atMost: count, runs) {
      switch meddling {
      case .change: graph.changes[other].run()
      case .save: #expect(throws: Never.self) { try context.save() }
      case .rollback: context.rollback()
      }
    }
    graph.changes[change].run()
    let description = Comment(
      rawValue: "\(kind), \(start): \(graph.changes[change].name); the observer of \(graph.ends[end].name): "
        + (meddling == .change ? graph.changes[other].name : "\(meddling)"))
    let members = graph.members
    try #require(graph.agrees, description)
    // The save below must not run the observer again. So the log is filled up to the maximum number of runs.
    let wasRun = !runs.entries.isEmpty
    for _ in runs.entries.count..<max(count, runs.entries.count) { runs.add(true) }
    #expect(throws: Never.self, description) { try context.save() }
    #expect(!context.hasChanges, description)
    #expect(graph.members == members, description)
    let stored = try EndGraph(kind, store.context())
    #expect(stored.agrees && stored.members == members, description)
    guard count == 1, wasRun else { return }
    let expected = try expectedMembers(kind, start, store, change: change, meddling, other)
    #expect(members == expected, description)
  }

  @Test(
    "both ends are consistent afterwards, and the change is applied after the observer's action",
    arguments: RelationshipKind.allCases, [1, 3])
  private func combinations(_ kind: RelationshipKind, _ runs: Int) throws {
    for engine in Engine.allCases.prefix(1) {
      let store = try TestStore(engine == .file ? .memory : engine, graphModels)
      let filling = store.context()
      kind.insertObjects(in: filling)
      try filling.save()
      for start in Start.allCases {
        for meddling in Meddling.allCases where isTried(start, meddling) {
          try combinations(kind, start, meddling, store, runs)
        }
      }
    }
  }

  /// Returns true if the combination is tested. An ordinary run skips combinations whose results rarely differ.
  private func isTried(_ start: Start, _ meddling: Meddling) -> Bool {
    RandomTesting.soak > 1 || start == (meddling == .rollback ? .pending : .related)
  }

  private func combinations(
    _ kind: RelationshipKind, _ start: Start, _ meddling: Meddling, _ store: TestStore, _ runs: Int
  ) throws {
    let graph = try EndGraph(kind, store.context())
    let others = meddling == .change ? graph.changes.indices : 0..<1
    var generator = SeededGenerator(seed: RandomTesting.seeds(1)[0])
    for change in graph.changes.indices {
      for end in graph.ends.indices {
        // An ordinary run tests a random sixth of the combinations, which depends on the seed.
        for other in others where RandomTesting.soak > 1 || Int.random(in: 0..<6, using: &generator) == 0 {
          try check(kind, start, store, change: change, meddling, other, observing: end, atMost: runs)
        }
      }
    }
  }

  @Test("no reference leads to a new model if an observer acts during the model's deletion", arguments: Engine.allCases)
  func deletion(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let filling = store.context()
    RelationshipKind.manyToMany.insertObjects(in: filling)
    try filling.save()
    for change in try EndGraph(.manyToMany, store.context()).changes.map(\.name) {
      for observed in ["R0", "R1"] {
        let context = store.context()
        let (student, course): (Student, Course) = (Student("new"), try context.one(observed))
        context.insert(student)
        student.courses = [try context.one("R0"), try context.one("R1")]
        let graph = try EndGraph(.manyToMany, context)
        let runs = Log<Bool>()
        let meddling = try #require(graph.changes.first { $0.name == change }).run
        observe({ course.students.names }, atMost: 1, runs, meddling)
        context.delete(student)
        #expect(!runs.entries.isEmpty && student.modelContext == nil)
        let left = try EndGraph(.manyToMany, context)
        #expect(left.agrees && !left.members.values.joined().contains("new"), "\(change)")
        context.rollback()
      }
    }
  }

  @Test("no observer runs while only one of the two ends is changed", arguments: Engine.allCases)
  func between(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let filling = store.context()
    RelationshipKind.oneToMany.insertObjects(in: filling)
    try filling.save()
    let context = store.context()
    let graph = try EndGraph(.oneToMany, context)
    let found = Log<Bool>()
    for change in graph.changes {
      nonisolated(unsafe) let unsafeGraph = graph
      for end in graph.ends {
        nonisolated(unsafe) let unsafeEnd = end
        withObservationTracking {
          _ = unsafeEnd.read()
        } onChange: {
          found.add(unsafeGraph.agrees)
        }
      }
      change.run()
      #expect(graph.agrees)
    }
    #expect(!found.entries.isEmpty && found.entries.allSatisfy { $0 })
  }
}
