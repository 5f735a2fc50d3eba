import SwiftData

/// Version 1 of models that are divided among three stores. The models of every store change in version 2.
package enum FleetV1: VersionedSchema {
  package static let versionIdentifier = Schema.Version(1, 0, 0)
  package static var models: [any PersistentModel.Type] { [Ship.self, Port.self, Crew.self] }

  @Model package final class Ship {
    package var name: String
    package var tons: Int
    package init(_ name: String, _ tons: Int) { (self.name, self.tons) = (name, tons) }
  }

  @Model package final class Port {
    package var name: String
    @Attribute(.externalStorage) package var chart: Data?
    package init(_ name: String) { self.name = name }
  }

  @Model package final class Crew {
    package var name: String
    package init(_ name: String) { self.name = name }
  }
}

package enum FleetV2: VersionedSchema {
  package static let versionIdentifier = Schema.Version(2, 0, 0)
  package static var models: [any PersistentModel.Type] { [Ship.self, Port.self, Crew.self] }

  @Model package final class Ship {
    @Attribute(originalName: "name") package var title: String
    package var tons: Double
    package init(_ title: String, _ tons: Double) { (self.title, self.tons) = (title, tons) }
  }

  @Model package final class Port {
    @Attribute(.unique) package var name: String
    package var chart: Data?
    package init(_ name: String) { self.name = name }
  }

  @Model package final class Crew {
    package var name: String
    package var rank: String = "sailor"
    package init(_ name: String) { self.name = name }
  }
}

/// Creates, migrates and checks three stores in one folder.
package enum FleetStores {
  package static let files = ["crew.store", "ports.store", "ships.store"]
  private static let names = ["Crew", "Port", "Ship"]

  package static func container(of version: any VersionedSchema.Type, in folder: URL) throws -> ModelContainer {
    let schema = Schema(versionedSchema: version)
    let configurations = try zip(files, names).map { file, name in
      guard let model = version.models.first(where: { Schema.entityName(ofModel: $0) == name }) else {
        throw CocoaError(.featureUnsupported)
      }
      return ModelConfiguration(name, schema: Schema([model]), url: folder.appending(path: file))
    }
    return try ModelContainer(for: schema, configurations: configurations)
  }

  package static func make(in folder: URL, rows: Int) throws {
    let context = ModelContext(try container(of: FleetV1.self, in: folder))
    for index in 0..<rows {
      context.insert(FleetV1.Ship("ship \(index)", index))
      let port = FleetV1.Port("port \(index)")
      context.insert(port)
      if index.isMultiple(of: 100) { port.chart = Data(repeating: UInt8(index / 100), count: 120_000) }
      context.insert(FleetV1.Crew("crew \(index)"))
    }
    try context.save()
  }

  /// The differences between stores of version 1 and the contents that ``make(in:rows:)`` has written.
  package static func originalProblems(in folder: URL, rows: Int) throws -> [String] {
    let context = ModelContext(try container(of: FleetV1.self, in: folder))
    let ships = try context.fetch(FetchDescriptor<FleetV1.Ship>(sortBy: [SortDescriptor(\.tons)]))
    let ports = try context.fetch(FetchDescriptor<FleetV1.Port>())
    let charts = ports.compactMap(\.chart).filter { $0.count == 120_000 }
    let crew = try context.fetchCount(FetchDescriptor<FleetV1.Crew>())
    return problems(
      ships.map(\.name) == (0..<rows).map { "ship \($0)" }, ports.count == rows, charts.count == (rows + 99) / 100,
      crew == rows)
  }

  /// The differences between the migrated stores and their expected contents.
  package static func problems(in folder: URL, rows: Int) throws -> [String] {
    let context = ModelContext(try container(of: FleetV2.self, in: folder))
    let ships = try context.fetch(FetchDescriptor<FleetV2.Ship>(sortBy: [SortDescriptor(\.tons)]))
    let ports = try context.fetch(FetchDescriptor<FleetV2.Port>())
    let charts = ports.compactMap(\.chart).filter { $0.count == 120_000 }
    let crew = try context.fetch(FetchDescriptor<FleetV2.Crew>())
    return problems(
      ships.map(\.title) == (0..<rows).map { "ship \($0)" }, ports.count == rows, charts.count == (rows + 99) / 100,
      crew.count(where: { $0.rank == "sailor" }) == rows)
  }

  private static func problems(_ ships: Bool, _ ports: Bool, _ charts: Bool, _ crew: Bool) -> [String] {
    [(ships, "ships"), (ports, "ports"), (charts, "charts"), (crew, "crew")].filter { !$0.0 }.map(\.1)
  }
}
