import OpenSwiftData

/// Two processes and one store: one process reports the goals of an evening, and the other shows them as they are
/// saved.
@main
struct Scoreboard {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let command = arguments.first, let path = arguments.last else { throw Usage() }
    let container = try open(path)
    switch command {
    case "show": try await show(container)
    case "report": try await report(container)
    default: throw Usage()
    }
    try await container.close()
  }

  /// The store keeps a history by default, from which the program prints who has changed what.
  private static func open(_ path: String) throws -> ModelContainer {
    try ModelContainer(for: Match.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
  }

  /// Saves an event at intervals, and the end of each match.
  private static func report(_ container: ModelContainer) async throws {
    let context = ModelContext(container)
    context.author = "referee"
    for (home, away) in Evening.matches { context.insert(Match(home: home, away: away)) }
    try context.save()
    for event in Evening.events {
      try await Task.sleep(for: .milliseconds(200))
      try add(event, in: context)
      try context.save()
    }
  }

  private static func add(_ event: Event, in context: ModelContext) throws {
    let home = event.home
    let matches = FetchDescriptor<Match>(predicate: #Predicate { $0.home == home })
    guard let match = try context.fetch(matches).first else { return }
    switch event.kind {
    case .homeGoal: match.homeGoals += 1
    case .awayGoal: match.awayGoals += 1
    case .end: match.isOver = true
    }
  }

  /// Shows every change until all matches are over. What another process saves arrives within a tenth of a second.
  private static func show(_ container: ModelContainer) async throws {
    let database = ModelDatabase(modelContainer: container)
    for try await matches in database.values(of: FetchDescriptor<Match>(sortBy: [SortDescriptor(\.home)])) {
      let lines = matches.map { match in
        "\(match.home) \(match.homeGoals) : \(match.awayGoals) \(match.away)\(match.isOver ? " (over)" : "")"
      }
      say(lines.isEmpty ? "no matches yet" : lines.joined(separator: "   "))
      if !matches.isEmpty, matches.allSatisfy(\.isOver) { break }
    }
    let saves = try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let authors = Set(saves.compactMap(\.author)).sorted()
    say("\(saves.count) saves, by: \(authors.joined(separator: ", "))")
  }

  /// Prints a line at once: `print` buffers lines if the output is not a terminal.
  private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}

/// The program was called with wrong arguments.
struct Usage: Error, CustomStringConvertible {
  var description: String { "usage: scoreboard show|report STORE" }
}
