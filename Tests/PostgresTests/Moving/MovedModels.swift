#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData

  /// A model with a many-to-many relationship that is ordered on both sides, list positions, and a value in a file.
  @Model
  final class Parcel {
    var label: String
    var number: Int
    @Attribute(.externalStorage) var scan: Data?
    var next: Parcel?
    @Relationship(inverse: \Depot.parcels) var depots: [Depot] = []
    @Relationship(deleteRule: .cascade, inverse: \Seal.parcel) var seals: [Seal] = []

    init(_ label: String, number: Int = 0) {
      self.label = label
      self.number = number
    }
  }

  @Model
  final class Depot {
    var name: String
    var parcels: [Parcel] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Seal {
    var mark: Int
    var parcel: Parcel?

    init(_ mark: Int) { self.mark = mark }
  }

  @Model
  final class Secret {
    @Attribute(.encrypt) var text: String

    init(_ text: String) { self.text = text }
  }

  /// The locations of one test's stores: a folder for files, and namespaces on the shared server.
  final class MovedStores {
    static let models: [any PersistentModel.Type] = [
      Specimen.self, Holder.self, Holding.self, Ship.self, Parcel.self, Depot.self, Seal.self,
    ]

    let schema = Schema(MovedStores.models)
    let folder = FileManager.default.temporaryDirectory.appending(path: "moving-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static func progress() -> Progress { Progress(parent: nil) }

    func file(_ name: String = "a.store") -> ModelConfiguration {
      ModelConfiguration(url: folder.appending(path: name))
    }

    func database() throws -> PostgresConfiguration {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Moving \(UUID().uuidString)"
      configuration.maximumConnections = 4
      return configuration
    }

    func open(_ configuration: ModelConfiguration) throws -> ModelContainer {
      try ModelContainer(for: schema, configurations: configuration)
    }

    func open(_ configuration: PostgresConfiguration) throws -> ModelContainer {
      try ModelContainer(for: schema, configurations: [configuration])
    }
  }

  /// The exact contents of all models of a container as texts: numbers as their bits, texts as their scalars.
  enum MovedContents {
    static func of(_ container: ModelContainer) throws -> [String] {
      let context = ModelContext(container)
      return try context.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.code)])).map(describe)
        + context.fetch(FetchDescriptor<Holder>(sortBy: [SortDescriptor(\.name)])).map(describe)
        + context.fetch(FetchDescriptor<Ship>(sortBy: [SortDescriptor(\.mark)])).map { "\($0.mark) \($0.length)" }
        + context.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.number)])).map(describe)
        + context.fetch(FetchDescriptor<Depot>(sortBy: [SortDescriptor(\.name)])).map { depot in
          "\(depot.name): \(depot.parcels.map(\.number))"
        }
    }

    private static func describe(_ specimen: Specimen) -> String {
      let texts = [specimen.name, specimen.nickname].map { text in text.map { "\(Array($0.unicodeScalars))" } ?? "nil" }
      let reals = [specimen.weight, specimen.ratio ?? 7, specimen.xmin].map { String($0.bitPattern, radix: 16) }
      let numbers = "\(specimen.count) \(specimen.rest as Any) \(specimen.small) \(specimen.size)"
      let decimals = "\(specimen.price) \(specimen.discount as Any)"
      let others =
        "\(specimen.isOpen) \(specimen.isGood as Any) \(specimen.date.timeIntervalSinceReferenceDate.bitPattern) "
        + "\(specimen.token)"
      let rest =
        "\(Array(specimen.bytes)) \(specimen.link.absoluteString) \(specimen.maturity) \(specimen.tags) \(specimen.marks)"
      return "\(specimen.code) \(texts) \(reals) \(specimen.share.bitPattern) \(numbers) \(decimals) \(others) \(rest) "
        + "\(specimen.notes.sorted { $0.key < $1.key })"
    }

    private static func describe(_ holder: Holder) -> String {
      let holdings = holder.holdings.map { "\(type(of: $0)) \($0.title)" }
      return "\(holder.name) \(holder.number as Any) \(holder.note as Any) \(holdings) \(holder.friends.map(\.name))"
    }

    private static func describe(_ parcel: Parcel) -> String {
      let scan = parcel.scan.map { "\($0.count) of \($0.first ?? 0)" } ?? "nil"
      return "\(parcel.label) \(parcel.number) \(scan) \(parcel.next?.label ?? "-") \(parcel.depots.map(\.name)) "
        + "\(parcel.seals.map(\.mark))"
    }

    /// Saves models with every kind of value. The lists have another order than the keys of their members.
    static func fill(_ container: ModelContainer) throws {
      let context = ModelContext(container)
      for code in 0..<8 { context.insert(specimen(code)) }
      let holders = ["Ann", "Bob", "Cid"].enumerated().map { Holder($1, number: $0) }
      for holder in holders { context.insert(holder) }
      holders[0].holdings = [Holding("house"), Ship("boat", mark: "b"), Holding("land"), Ship("ferry", mark: "a")]
      holders[0].friends = [holders[2], holders[1]]
      holders[1].friends = [holders[0]]
      let depots = ["north", "south", "west"].map { Depot($0) }
      let parcels = (0..<6).map { Parcel("parcel \($0)", number: $0) }
      for depot in depots { context.insert(depot) }
      for parcel in parcels { context.insert(parcel) }
      for (index, parcel) in parcels.enumerated() {
        parcel.depots = index.isMultiple(of: 2) ? depots : [depots[2], depots[0]]
        parcel.next = parcels[(index + 3) % 6]
        parcel.seals = (0..<4).map { Seal(index * 10 + $0) }
        parcel.scan = [nil, Data(), Data([9]), Data(repeating: 7, count: 300_000)][index % 4]
      }
      try context.save()
      holders[0].holdings.swapAt(0, 3)
      holders[0].friends.reverse()
      for parcel in parcels { parcel.seals.reverse() }
      parcels[1].depots.reverse()
      depots[0].parcels = [3, 0, 5, 1, 4, 2].map { parcels[$0] }
      depots[2].parcels.swapAt(0, 5)
      try context.save()
    }

    private static func specimen(_ code: Int) -> Specimen {
      let specimen = Specimen(code)
      specimen.name =
        [
          "", "cafe\u{301}", "caf\u{E9}", "a\u{0}b", "\u{1}\u{2}", "\u{212A};`", "\u{F73}",
          "\u{1F468}\u{200D}\u{1F469}",
        ][code]
      specimen.nickname = [nil, "", "\u{0}", "e\u{301}", "x", "\u{1}", "\u{1}\u{1}", "y"][code]
      specimen.weight = [0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, 0.1, 1e300][code]
      specimen.ratio = [nil, -0.0, Double(bitPattern: 0x7FF8_0000_0000_1234), 1, 2, 3, 4, 5][code]
      specimen.xmin = [0.1, -0.0, 0, 1, 2, 3, 4, 5][code]
      specimen.share = [0, -0.0, .nan, 0.1, 1, 2, 3, 4][code]
      specimen.count = [0, .max, .min, -1, 1, 2, 3, 4][code]
      specimen.rest = code.isMultiple(of: 2) ? nil : code
      specimen.small = [0, .max, .min, -1, 1, 2, 3, 4][code]
      specimen.size = [0, .max, UInt64(Int64.max), UInt64(Int64.max) + 1, 1, 2, 3, 4][code]
      specimen.price = [0, Decimal.nan, 1, -1, 2, 3, 4, 5][code]
      specimen.discount =
        ["1.50", "-0.000000000000000000000000000001", "99999999999999999999999999999999999999"]
        .map { Decimal(string: $0) ?? 0 }[code % 3]
      specimen.isOpen = code == 1
      specimen.isGood = code == 2 ? nil : code == 3
      specimen.date = Date(timeIntervalSinceReferenceDate: [0, 0.1, -1e9, 1e12, 1, 2, 3, 4][code])
      specimen.token = UUID()
      specimen.bytes = [Data(), Data([0]), Data([0, 255]), Data("text".utf8)][code % 4]
      specimen.link = URL(string: ["https://example.org/a?b=c", "mailto:a@b.c"][code % 2]) ?? specimen.link
      specimen.maturity = code == 4 ? .old : .young
      specimen.tags = [[], ["a", "\u{0}", "cafe\u{301}"]][code % 2]
      specimen.marks = [[], [1, -1]][code % 2]
      specimen.notes = [[:], ["b": 1, "a": 2]][code % 2]
      return specimen
    }
  }
#endif
