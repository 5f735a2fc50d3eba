import ConformanceSupport
import OpenSwiftData
import Testing

/// A container with a history, a container without one, and another program commit random changes to one file. After
/// each commit, the objects of an observing context must have the stored values.
@Suite("Random commits of other containers and programs")
struct RandomRecordedCommitTests {
  @Test("after each commit, the objects of the observing context have the stored values")
  func random() throws {
    for seed in RandomTesting.seeds(2 * RandomTesting.soak) {
      RandomTesting.note("steps of commits with and without records", 150)
      try run(seed)
    }
  }

  private func run(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try TestStore(.file, [Voyage.self, Leg.self, Guide.self], history: .standard)
    let other = try ModelContainer(for: store.schema, configurations: [store.configuration])
    var silent = store.configuration
    silent.history = .off
    let third = try ModelContainer(for: store.schema, configurations: [silent])
    let (here, writers) = (store.context(), [ModelContext(other), ModelContext(other), ModelContext(third)])
    let order = [SortDescriptor(\Voyage.name)]
    for number in 0..<8 { here.insert(Voyage("v\(number)")) }
    try here.save()
    let mine = try here.fetch(FetchDescriptor(sortBy: order))
    for step in 0..<150 {
      let number = Int.random(in: 0..<8, using: &random)
      let choice = Int.random(in: 0...12, using: &random)
      switch choice {
      case 0:
        try RawDatabase(store.configuration.url.path).run("UPDATE Voyage SET price = \(step) WHERE name = 'v\(number)'")
      case 1: try RawDatabase(store.configuration.url.path).run("PRAGMA wal_checkpoint(RESTART)")
      case 2:
        mine[number].price = Double(step)
        try here.save()
      case 12: try writers[0].delete(model: Leg.self, where: #Predicate { $0.days == number })
      default:
        let writer = writers[choice == 3 ? 2 : choice % 2]
        let theirs = try writer.fetch(FetchDescriptor(sortBy: order))
        let isNested = Bool.random(using: &random)
        let (first, second) = (theirs[number], theirs[(number + 1) % 8])
        try writer.transaction {
          switch choice {
          case 4, 5: first.legs.append(Leg("l\(step)", days: number))
          case 6: first.legs.first.map { $0.voyage = second }
          case 7: first.guides = second.guides + [Guide("g\(step)")]
          case 8: first.legs.last.map(writer.delete)
          default: first.price = Double(step)
          }
          guard isNested else { return }
          try writer.save()
          second.price = Double(step)
        }
      }
      if choice == 12 { try writers[0].save() }
      guard Bool.random(using: &random) else { continue }
      _ = try here.fetchCount(FetchDescriptor<Guide>())
      let stored = try store.context().fetch(FetchDescriptor(sortBy: order)).map(Self.description)
      #expect(mine.map(Self.description) == stored, "step \(step) of seed \(seed)")
    }
  }

  /// A text with the values and the related objects of a voyage.
  private static func description(_ voyage: Voyage) -> String {
    let (legs, guides) = (voyage.legs.map(\.place).sorted(), voyage.guides.map(\.name).sorted())
    return "\(voyage.name) \(voyage.price) \(legs) \(guides)"
  }
}
