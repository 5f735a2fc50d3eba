import SwiftData
import Testing

enum Status: String, Codable, CaseIterable { case planned, running, done }
enum Mood: Codable, Equatable { case calm, loud }

@Model final class InferredTask {
  var status = Status.planned
  var mood: Mood = .calm
  var other: Status? = .done
  var count = 3
  var ratio = 0.5
  var name = "none"
  var isOpen = true
  var made = Date(timeIntervalSinceReferenceDate: 0)
  var tags = [String]()
  var scores = ["a": 1]
  var maximum = Int.max
  var text = """
    two
      lines
    """
  var computedOnce: Int = {
    let base = 20
    return base + 1
  }()

  init() {}
}

@Model public final class GuardedTask {
  public let code: String
  public let parent: Int?
  let kind = "task"
  public private(set) var total: Double = 0
  private var secret: Int
  fileprivate(set) var shown: String = "shown"
  internal var plain: Int = 1

  public init(code: String, parent: Int? = nil, secret: Int) {
    self.code = code
    self.parent = parent
    self.secret = secret
  }

  func add(_ amount: Double) { total += amount }

  var revealed: Int { secret }
}

@Model final class LetTask {
  let status: Status
  let place: Place
  let tags: [String]
  let when: Date?
  let id: UUID

  struct Place: Codable, Equatable { var city: String }

  init(id: UUID, status: Status, place: Place, tags: [String], when: Date?) {
    self.id = id
    self.status = status
    self.place = place
    self.tags = tags
    self.when = when
  }
}

@Model final class ComputedTask {
  static let limit = 10
  static var shared: String { "shared" }
  static func make() -> ComputedTask { ComputedTask(count: limit) }

  var count: Int
  @Transient var cache: [Int: String] = [:]
  @Transient var draft: String?
  @Transient lazy var label: String = "count \(count)"
  lazy var title: String = "title \(count)"

  var double: Int { count * 2 }
  var half: Int {
    get { count / 2 }
    set { count = newValue * 2 }
  }

  init(count: Int) { self.count = count }
}

@Model final class OptionalTask {
  var plain: String?
  var spelled: Optional<Int>
  var qualified: Swift.Optional<Int> = 4
  var unwrapped: String!
  var defaulted: Date? = nil
  var nested: [String?] = []

  init() {}
}

@Suite("Shapes of stored properties")
struct PropertyShapeTests {
  @Test("A type may be inferred from a default, and an enum case from a type") func inferred() throws {
    try roundTrip(InferredTask()) {
      #expect($0.status == .planned)
      #expect($0.mood == .calm)
      #expect($0.other == .done)
      #expect($0.count == 3)
      #expect($0.ratio == 0.5)
      #expect($0.name == "none")
      #expect($0.isOpen)
      #expect($0.made == Date(timeIntervalSinceReferenceDate: 0))
      #expect($0.tags.isEmpty)
      #expect($0.scores == ["a": 1])
      #expect($0.maximum == Int.max)
      #expect($0.text == "two\n  lines")
      #expect($0.computedOnce == 21)
    }
  }

  @Test("Properties may be constants, or have a setter with less access") func access() throws {
    let task = GuardedTask(code: "a", secret: 42)
    task.add(1.5)
    task.shown = "b"
    try roundTrip(task) {
      #expect($0.code == "a")
      #expect($0.parent == nil)
      #expect($0.kind == "task")
      #expect($0.total == 1.5)
      #expect($0.revealed == 42)
      #expect($0.shown == "b")
      #expect($0.plain == 1)
    }
  }

  @Test("Constants may have every kind of value") func constants() throws {
    let id = UUID()
    let when = Date(timeIntervalSinceReferenceDate: 1)
    let task = LetTask(id: id, status: .done, place: .init(city: "a"), tags: ["b"], when: when)
    try roundTrip(task) {
      #expect($0.id == id)
      #expect($0.status == .done)
      #expect($0.place == LetTask.Place(city: "a"))
      #expect($0.tags == ["b"])
      #expect($0.when == when)
    }
  }

  @Test("Computed, static, lazy and transient members are not stored") func unstored() throws {
    let task = ComputedTask.make()
    task.half = 8
    task.cache[1] = "a"
    task.draft = "b"
    #expect(task.label == "count 16")
    #expect(task.title == "title 16")
    #expect(ComputedTask.shared == "shared")
    try roundTrip(task) {
      #expect($0.count == 16)
      #expect($0.double == 32)
      #expect($0.cache.isEmpty)
      #expect($0.draft == nil)
      #expect($0.label == "count 16")
    }
    #expect(Schema([ComputedTask.self]).entities[0].properties.map(\.name) == ["count"])
  }

  @Test("Optionals may be written in every spelling") func optionals() throws {
    try roundTrip(OptionalTask()) {
      #expect($0.plain == nil)
      #expect($0.spelled == nil)
      #expect($0.qualified == 4)
      #expect($0.unwrapped == nil)
      #expect($0.defaulted == nil)
      #expect($0.nested == [])
    }
    let task = OptionalTask()
    task.plain = "a"
    task.spelled = 2
    task.qualified = nil
    task.unwrapped = "c"
    task.nested = ["x", nil]
    try roundTrip(task) {
      #expect($0.plain == "a")
      #expect($0.spelled == 2)
      #expect($0.qualified == nil)
      #expect($0.unwrapped == "c")
      #expect($0.unwrapped.count == 1)
      #expect($0.nested == ["x", nil])
    }
  }

  @Test("Changes of every property are saved") func changes() throws {
    try roundTrip(changing: InferredTask()) {
      $0.status = .done
      $0.mood = .loud
      $0.other = nil
      $0.count += 1
      $0.tags.append("x")
      $0.scores["b"] = 2
      $0.name.append("!")
    } then: {
      #expect($0.status == .done)
      #expect($0.mood == .loud)
      #expect($0.other == nil)
      #expect($0.count == 4)
      #expect($0.tags == ["x"])
      #expect($0.scores == ["a": 1, "b": 2])
      #expect($0.name == "none!")
    }
  }
}
