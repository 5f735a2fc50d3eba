import SwiftData

/// The root class of a hierarchy, with a property of each kind.
@Model class Exhibit: Named {
  #Index<Exhibit>(
    .binary([\.title]), .binary([\.price]), .binary([\.acquired]), .binary([\.rank, \.fee]), .binary([\.origin.city]))
  #Index<Exhibit>(.rtree([\.origin.spot.latitude, \.origin.spot.longitude]))
  #Unique<Exhibit>([\.title, \.edition])

  @Attribute(.unique) var name: String
  var title: String
  var edition: Int
  var subtitle: String?

  var isLent: Bool = false
  var isFragile: Bool?
  var tiny: Int8 = 0
  var small: Int16 = 0
  var medium: Int32 = 0
  var wide: Int64 = 0
  var byte: UInt8 = 0
  var short: UInt16 = 0
  var long: UInt32 = 0
  var huge: UInt64 = 0
  var natural: UInt = 0
  var number: Int?
  var hugeOrNil: UInt64?
  var weight: Double = 0
  var height: Double?
  var ratio: Float = 0
  var ratioOrNil: Float?
  var price: Decimal = 0
  var fee: Decimal?
  var acquired: Date
  var returned: Date?
  var period: Duration = Duration.zero

  var mark: UUID
  var oldMark: UUID?
  var page: URL
  var oldPage: URL?
  var bytes: Data = Data()
  var bytesOrNil: Data?
  @Attribute(.externalStorage) var scan: Data?
  @Attribute(.externalStorage) var film: Data = Data()
  @Attribute(.transformable(by: RouteTransformer.self)) var route: Route
  @Attribute(.transformable(by: RouteTransformer.self)) var detour: Route?

  var condition: Condition = Condition.sound
  var formerCondition: Condition?
  var rank: Rank = Rank.usual
  var formerRank: Rank?
  var origin: Origin
  var formerOrigin: Origin?
  var hint: Hint?
  var frame: Frame = Frame.none
  var formerFrame: Frame?
  @Attribute(.codable) var whole: Spot?

  var tags: [String] = []
  var tagsOrNil: [String]?
  var flags: [Bool] = []
  var numbers: [Int] = []
  var huges: [UInt64] = []
  var weights: [Double] = []
  var prices: [Decimal] = []
  var dates: [Date] = []
  var marks: [UUID] = []
  var pages: [URL] = []
  var blobs: [Data] = []
  var conditions: [Condition] = []
  var spots: [Spot] = []
  var gaps: [Int?] = []
  var counts: [String: Int] = [:]
  var words: Set<String> = []

  var maker: Maker
  var room: Room?
  @Relationship(inverse: \Topic.exhibits) var topics: [Topic] = []
  @Relationship(inverse: \Label.exhibit) var label: Label?
  @Relationship(deleteRule: .cascade, inverse: \Loan.exhibit) var loans: [Loan] = []
  @Relationship(inverse: nil) var related: [Exhibit] = []
  @Relationship(inverse: nil) var copyOf: Exhibit?

  init(_ name: String, title: String, edition: Int, maker: Maker) {
    (self.name, self.title, self.edition, self.maker) = (name, title, edition, maker)
    acquired = Date(timeIntervalSinceReferenceDate: 0)
    mark = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    page = URL(filePath: "/")
    route = Route(stops: [])
    origin = Origin(city: "", spot: Spot(latitude: 0, longitude: 0), year: nil, condition: .sound, names: [])
  }
}

/// A class on the second level of the hierarchy, with its own uniqueness constraint.
@Model class Painting: Exhibit {
  #Index<Painting>([\.technique])
  var technique: String
  @Attribute(.unique) var plate: String?
  var place: Origin?

  init(_ name: String, title: String, edition: Int, maker: Maker, technique: String) {
    self.technique = technique
    super.init(name, title: title, edition: edition, maker: maker)
  }
}

/// A class on the third level of the hierarchy.
@Model final class Fresco: Painting {
  var thickness: Double = 1.5
  let wall: String

  init(_ name: String, title: String, edition: Int, maker: Maker, wall: String) {
    self.wall = wall
    super.init(name, title: title, edition: edition, maker: maker, technique: "fresco")
  }
}

/// A second subclass of the root. One of its properties has the name of a property of another class, but a different
/// type.
@Model final class Sculpture: Exhibit {
  var material: String
  var plate: Int = 0

  init(_ name: String, title: String, edition: Int, maker: Maker, material: String) {
    self.material = material
    super.init(name, title: title, edition: edition, maker: maker)
  }
}
