import SwiftData
import Testing

@Model final class WatchedItem {
  var level: Int = 0 {
    willSet { log.append("will \(level) to \(newValue)") }
    didSet {
      log.append("did \(oldValue) to \(level)")
      if level > 10 { level = 10 }
    }
  }
  var name: String {
    didSet { updates += 1 }
  }
  var tags: [String] = [] {
    willSet(next) { log.append("tags \(next.count)") }
    didSet(before) {
      guard before != tags else { return }
      updates += 1
    }
  }
  var updates = 0
  @Transient var log: [String] = []
  @Transient var plain: Int = 0 {
    didSet { log.append("plain \(plain)") }
  }

  init(name: String) {
    self.name = name
    self.level = 3
  }
}

@Suite("Property observers")
struct ObserverTests {
  @Test("Observers do not run in an initialiser that sets the first value of the property") func initializer() {
    let item = WatchedItem(name: "a")
    #expect(item.updates == 0)
    #expect(item.level == 3)
    withKnownIssue("a property with a default has its value already, so that the initialiser calls the setter") {
      #expect(item.log.isEmpty)
    }
  }

  @Test("Observers run as those of a plain stored property, and not recursively") func order() throws {
    let item = WatchedItem(name: "a")
    item.log = []
    item.level = 12
    #expect(item.log == ["will 3 to 12", "did 3 to 12"])
    #expect(item.level == 10)
    item.name = "b"
    item.tags.append("x")
    item.tags = ["x"]
    item.plain = 1
    #expect(item.updates == 2)
    #expect(item.log.suffix(3) == ["tags 1", "tags 1", "plain 1"])
    try roundTrip(item) { #expect($0.level == 10 && $0.name == "b" && $0.tags == ["x"] && $0.updates == 2) }
  }

  @Test("Reading a row runs no observer; changing a fetched model runs all observers") func fetched() throws {
    try roundTrip(changing: WatchedItem(name: "a")) {
      #expect($0.log.isEmpty)
      $0.level = 5
      #expect($0.log == ["will 3 to 5", "did 3 to 5"])
      $0.name = "b"
    } then: {
      #expect($0.level == 5 && $0.updates == 1)
    }
  }
}
