import SwiftData
import Testing

private enum Plain {
  @Model final class Cruise {
    var name: String
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Cruise.self]
}

private enum Inheriting {
  @Model class Trip {
    var code: String
    init(code: String) { self.code = code }
  }
  @Model class Voyage: Trip {
    var port: String
    init(port: String) {
      self.port = port
      super.init(code: "")
    }
  }
  @Model final class Cruise: Voyage {
    var name: String
    init(_ name: String) {
      self.name = name
      super.init(port: "")
    }
  }
  static let models: [any PersistentModel.Type] = [Trip.self, Voyage.self, Cruise.self]
}

@Suite("Required attributes of a new superclass")
struct InheritedRequirementTests {
  @Test("an entity that newly inherits attributes without defaults throws an error that lists every such property")
  func inherited() throws {
    let store = try MigratedStore()
    try store.use(Plain.models) { $0.insert(Plain.Cruise("North")) }
    let error = try store.refusal(of: Inheriting.models)
    #expect(error == .unknownSchema)
    #expect("\(error)".contains("Cruise.code") && "\(error)".contains("Cruise.port"), "\(error)")
  }
}
