// A live sequence that is sent to another task contains values or references, never models.
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
