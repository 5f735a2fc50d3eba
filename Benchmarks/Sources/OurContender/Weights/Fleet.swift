import SwiftData

/// Three models, each in a store of its own. The migration to the second version rebuilds their tables.
enum FleetBefore: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Ship.self, Crew.self, Port.self] }

  @Model final class Ship {
    var name = "a ship that carries something"
    var size = 1
    init(size: Int) { self.size = size }
  }
  @Model final class Crew {
    var name = "a crew that sails somewhere"
    var size = 1
    init(size: Int) { self.size = size }
  }
  @Model final class Port {
    var name = "a port that lies at some sea"
    var size = 1
    init(size: Int) { self.size = size }
  }
}

enum FleetAfter: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Ship.self, Crew.self, Port.self] }

  @Model final class Ship {
    var name = ""
    var size = 1.0
    init() {}
  }
  @Model final class Crew {
    var name = ""
    var size = 1.0
    init() {}
  }
  @Model final class Port {
    var name = ""
    var size = 1.0
    init() {}
  }
}
