public import OpenSwiftData

// Public models, which other modules can use.

nonisolated public struct Country: Codable, Sendable, Hashable {
  public var code: String

  public init(code: String) { self.code = code }
}

@Model @ModelValue public final class City {
  #Index<City>([\.name])

  @Attribute(.unique) public var name: String
  public private(set) var people = 0
  public var country: Country?
  public let founded: Date
  public var twins: [City] = []
  var note: String?

  public init(name: String, founded: Date) {
    self.name = name
    self.founded = founded
  }

  public func grow() { people += 1 }
}

@Model open class Building {
  open var name: String
  public internal(set) var height: Double?
  public var city: City?

  public init(name: String) { self.name = name }
}

@Model public final class Tower: Building {
  public var floors: Int

  public init(name: String, floors: Int) {
    self.floors = floors
    super.init(name: name)
  }
}

@Model public actor Register {
  public var title: String = ""
  public var dates: [Date] = []
}

nonisolated struct Mark: Codable, Sendable, Hashable {
  var code: String
}

/// A public model whose generated initialiser has a parameter of an internal type.
@Model public actor Ledger {
  public var title: String = ""
  var mark: Mark?
}

extension City {
  @Model public final class District {
    public var name: String

    public init(name: String) { self.name = name }
  }
}

public enum CityVersion: VersionedSchema {
  public static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  public static var models: [any PersistentModel.Type] { [City.self, Building.self, Tower.self] }
}
