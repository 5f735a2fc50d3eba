// A live sequence gives values and references; models stay in the context that they are read with.
// expect: requires that 'Trip' conform to 'ValueReadable'
// expect: conformance of 'Trip' to 'Sendable' is unavailable
import OpenSwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

func trips(in database: ModelDatabase) {
  _ = database.values(of: FetchDescriptor<Trip>())
}

func names(of results: LiveResults<[Trip]>) async throws {}
