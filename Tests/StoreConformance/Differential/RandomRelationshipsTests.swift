import SwiftData
import Testing

/// Makes the same random changes to the relationships of models and to a ``RelationshipGraph``, which stores the
/// related objects as lists of numbers, and compares the two.
///
/// The environment variable `OSD_SOAK` multiplies the number of steps, and `OSD_SEED` repeats the run with that seed.
@Suite("Random changes of relationships", .serialized)
struct RandomRelationshipsTests {
  @Test(
    "the related objects agree with a reference implementation of the relationship rules", arguments: Engine.randomCases
  )
  func withoutTransactions(_ engine: Engine) throws {
    RandomTesting.run(RandomRelationshipRun.self, engine, transactions: false, steps: 1500)
  }

  @Test(
    "the related objects agree with a reference implementation even if some transactions throw",
    arguments: Engine.randomCases)
  func withTransactions(_ engine: Engine) throws {
    RandomTesting.run(RandomRelationshipRun.self, engine, transactions: true, steps: 1500)
  }
}

private struct RandomRelationshipRun: RandomizedRun {
  let seed: UInt64
  var step = 0
  private let transactions: Bool
  private let store: TestStore
  private var context: ModelContext
  private var generator: SeededGenerator
  /// The expected objects and relationships of the store and of the context.
  private var stored = RelationshipGraph()
  private var current = RelationshipGraph()
  /// Objects that the test retains, so that later steps change the same objects.
  private var held: [Int: any PersistentModel] = [:]
  private var identifiers: [Int: PersistentIdentifier] = [:]
  private var next = 0
  private var last = ""

  init(_ engine: Engine, seed: UInt64, transactions: Bool) throws {
    self.seed = seed
    self.transactions = transactions
    store = try TestStore(engine, clubModels, history: .ofSeed(seed))
    context = store.context()
    generator = SeededGenerator(seed: seed)
  }

  private func check(_ condition: Bool, _ rule: String, location: SourceLocation = #_sourceLocation) throws {
    guard !condition else { return }
    Issue.record("\(rule): seed \(seed), step \(step), after \(last)", sourceLocation: location)
    throw Failure()
  }

  mutating func doSomething() throws {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<15: try insert()
    case 15..<60: try relate()
    case 60..<67: try delete()
    case 67..<76: try save()
    case 76..<79: rollback()
    case 79..<84: if transactions { try transaction() }
    case 84..<92: try compareAll()
    case 92..<95: held = held.filter { $0.key % 3 == 0 }
    case 95..<98: newContext()
    default: try reopen()
    }
    try check(context.hasChanges || stored == current, "a context without changes is as the store")
  }

  // MARK: Changes

  private mutating func insert() throws {
    let entity = Entity.allCases.randomElement(using: &generator)!
    guard current.numbers(of: entity).count < 12 else { return try delete() }
    let object = make(entity)
    // Some objects get related objects before they are inserted; inserting such an object also inserts its related
    // objects.
    let isRelatedFirst = Bool.random(using: &generator)
    if !isRelatedFirst { add(object) }
    last = "insert \(next) (\(entity)), \(isRelatedFirst ? "related first" : "inserted first")"
    current.insert(next, entity)
    held[next] = object
    identifiers[next] = isRelatedFirst ? nil : object.persistentModelID
    next += 1
    if isRelatedFirst || Bool.random(using: &generator) { try relate(next - 1) }
    if isRelatedFirst {
      add(object)
      identifiers[next - 1] = object.persistentModelID
    }
  }

  private func make(_ entity: Entity) -> any PersistentModel {
    switch entity {
    case .club: Club(number: next)
    case .member: Player(number: next)
    case .locker: Locker(number: next)
    case .team: Team(number: next)
    }
  }

  private func add<T: PersistentModel>(_ object: T) { context.insert(object) }
  private func remove<T: PersistentModel>(_ object: T) { context.delete(object) }

  private mutating func relate(_ number: Int? = nil) throws {
    if number == nil { last = "" }
    guard let number = number ?? current.objects.keys.sorted().randomElement(using: &generator) else { return }
    let ends = End.allCases.filter { $0.owner == current.objects[number] }
    guard let end = ends.randomElement(using: &generator) else { return }
    let candidates = current.numbers(of: end.destination)
    if end.isToMany {
      let list = current.list(end, of: number)
      guard let change = ListChange.random(list.count, candidates, using: &generator) else { return }
      try perform(change, end, number)
    } else {
      let isUnset = Int.random(in: 0..<4, using: &generator) == 0
      try assign(isUnset ? nil : candidates.randomElement(using: &generator), end, number)
    }
  }

  private mutating func perform(_ change: ListChange, _ end: End, _ number: Int) throws {
    last += "; \(number).\(end) \(change)"
    var list = current.list(end, of: number)
    change.apply(to: &list) { $0 }
    current.set(end, of: number, to: list)
    switch end {
    case .members: try change.apply(to: &find(number, Club.self).members) { try find($0) }
    case .teams: try change.apply(to: &find(number, Player.self).teams) { try find($0) }
    case .players: try change.apply(to: &find(number, Team.self).players) { try find($0) }
    case .crew: try change.apply(to: &find(number, Player.self).crew) { try find($0) }
    case .club, .locker, .holder, .captain: break
    }
  }

  private mutating func assign(_ other: Int?, _ end: End, _ number: Int) throws {
    last += "; \(number).\(end) = \(other.map(String.init) ?? "nil")"
    current.set(end, of: number, to: other.map { [$0] } ?? [])
    switch end {
    case .club: try find(number, Player.self).club = try other.map { try find($0) }
    case .locker: try find(number, Player.self).locker = try other.map { try find($0) }
    case .holder: try find(number, Locker.self).holder = try other.map { try find($0) }
    case .captain: try find(number, Player.self).captain = try other.map { try find($0) }
    case .members, .teams, .players, .crew: break
    }
  }

  private mutating func delete() throws {
    guard let number = current.objects.keys.sorted().randomElement(using: &generator) else { return }
    last = "delete \(number)"
    let object: any PersistentModel =
      switch current.objects[number] {
      case .club: try find(number, Club.self)
      case .member: try find(number, Player.self)
      case .locker: try find(number, Locker.self)
      default: try find(number, Team.self)
      }
    remove(object)
    let gone = current.delete(number)
    held = held.filter { !gone.contains($0.key) }
  }

  /// The object with this number. If the test does not retain the object, the context looks it up by its identifier.
  private func find<T: PersistentModel>(_ number: Int, _ type: T.Type = T.self) throws -> T {
    if let object = held[number] as? T { return object }
    let found = identifiers[number].flatMap { context[$0, as: T.self] }
    try check(found != nil, "\(T.self) \(number) is found by its identifier")
    guard let found else { throw Failure() }
    return found
  }

  // MARK: Saving and undoing

  mutating func save() throws {
    last = "save"
    try context.save()
    stored = current
    try check(!context.hasChanges, "nothing is pending after a save")
  }

  private mutating func rollback() {
    last = "rollback"
    context.rollback()
    // Objects whose insertion was rolled back no longer belong to the context.
    held = held.filter { stored.objects[$0.key] != nil }
    current = stored
  }

  /// Runs a transaction that may throw, and may save before it throws.
  private mutating func transaction() throws {
    let before = self
    let throwing = Bool.random(using: &generator)
    let saving = Bool.random(using: &generator)
    last = "transaction"
    do {
      try context.transaction {
        try insert()
        try relate()
        try relate()
        if saving { try save() }
        try delete()
        try relate()
        if throwing { throw Undo() }
      }
      stored = current
    } catch is Undo {
      stored = before.stored
      current = before.current
      held = before.held
    }
    last = "transaction \(throwing ? "that throws" : ""), \(saving ? "with a save" : "")"
    try compareAll()
  }

  private struct Undo: Error {}

  private mutating func newContext() {
    last = "new context"
    context = store.context()
    held = [:]
    current = stored
  }

  mutating func reopen() throws {
    held = [:]
    try store.reopen()
    newContext()
    try compareAll()
  }

  // MARK: Comparing

  mutating func compareAll() throws {
    try compare(context, current, "the context")
    let other = store.context()
    try compare(other, stored, "the store")
  }

  private mutating func compare(_ context: ModelContext, _ graph: RelationshipGraph, _ place: String) throws {
    for end in End.allCases.shuffled(using: &generator) { try compare(end, context, graph, place) }
  }

  private func compare(_ end: End, _ context: ModelContext, _ graph: RelationshipGraph, _ place: String) throws {
    let found: [Int: [Int]] =
      switch end {
      case .members: try lists(context, \Club.number) { $0.members.map(\.number) }
      case .club: try lists(context, \Player.number) { $0.club.map { [$0.number] } ?? [] }
      case .locker: try lists(context, \Player.number) { $0.locker.map { [$0.number] } ?? [] }
      case .holder: try lists(context, \Locker.number) { $0.holder.map { [$0.number] } ?? [] }
      case .teams: try lists(context, \Player.number) { $0.teams.map(\.number) }
      case .players: try lists(context, \Team.number) { $0.players.map(\.number) }
      case .captain: try lists(context, \Player.number) { $0.captain.map { [$0.number] } ?? [] }
      case .crew: try lists(context, \Player.number) { $0.crew.map(\.number) }
      }
    let wanted = graph.numbers(of: end.owner)
    try check(found.keys.sorted() == wanted, "\(place) has \(end.owner)s \(found.keys.sorted()) and not \(wanted)")
    for number in wanted {
      let (list, rule) = (found[number] ?? [], graph.list(end, of: number))
      try check(list == rule, "in \(place) \(number).\(end) is \(list) and not \(rule)")
    }
  }

  private func lists<T: PersistentModel>(
    _ context: ModelContext, _ number: KeyPath<T, Int>, _ list: (T) -> [Int]
  ) throws -> [Int: [Int]] {
    let objects = try context.fetch(FetchDescriptor<T>())
    try check(Set(objects.map { $0[keyPath: number] }).count == objects.count, "each \(T.self) is there once")
    return Dictionary(objects.map { ($0[keyPath: number], list($0)) }) { first, _ in first }
  }
}
