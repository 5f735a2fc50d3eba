import SwiftData

// In this module, declarations are isolated to the main actor by default, as in new Xcode projects.

nonisolated enum Priority: Int, Codable { case low, high }

nonisolated struct Place: Codable, Equatable {
  var city: String
}

@Model final class Errand {
  var title: String
  var priority: Priority = Priority.low
  var place: Place?
  var tags: [String] = []
  let made: Date
  var count = 0 {
    didSet { changes += 1 }
  }
  var changes = 0
  @Transient var draft: String = ""
  @Relationship(deleteRule: .cascade, inverse: \Step.errand) var steps: [Step] = []

  init(title: String, made: Date = Date(timeIntervalSinceReferenceDate: 0)) {
    self.title = title
    self.made = made
  }

  var isLong: Bool { steps.count > 2 }
}

@Model class Step: Identifiable {
  var text: String
  var errand: Errand?

  init(text: String) { self.text = text }
}

@Observable final class ErrandList {
  var errands: [Errand] = []
  let context: ModelContext

  init(_ container: ModelContainer) { context = container.mainContext }

  func load() throws {
    errands = try context.fetch(FetchDescriptor<Errand>(sortBy: [SortDescriptor(\.title)]))
  }

  func add(_ title: String) throws {
    let errand = Errand(title: title)
    errand.steps.append(Step(text: "first"))
    context.insert(errand)
    try context.save()
    try load()
  }
}

@Model class Chore {
  var title: String
  var minutes = 10

  init(title: String) { self.title = title }
}

@Model final class Repair: Chore {
  var tool: String
  let room: String
  @Transient var draft = ""

  init(title: String, tool: String, room: String) {
    self.tool = tool
    self.room = room
    super.init(title: title)
  }
}
