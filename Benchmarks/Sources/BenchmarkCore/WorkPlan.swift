/// The data of a round. All contenders get the same rows, ranges and numbers.
public struct WorkPlan: Sendable {
  /// The number of rows in the table.
  public let rows: Int

  /// Ranges of `count` that contain about a hundredth of the rows.
  public let wideRanges: [Range<Int>]

  /// Ranges of `count` that contain about a thousandth of the rows.
  public let narrowRanges: [Range<Int>]

  /// How many times one sample counts all rows.
  public let counts = 100

  /// The number of fetches in one sample that find no row.
  public let searches = 10_000

  /// Ranges of `count` that contain no row, one for each of the fetches that find no row.
  public var emptyRanges: [Range<Int>] { (0..<searches).map { countDomain + $0..<countDomain + $0 + 10 } }

  /// How many times one sample opens the database.
  public let openings = 200

  /// How many times one sample saves a row.
  public var saves: Int { max(1_000, rows / 10) }

  /// The number of clients that save at the same time.
  public let clients = 8

  /// How many times each client saves a row in one sample.
  public var savesOfEachClient: Int { saves / 4 }

  /// The number of rows that one query of a group looks up.
  public let groupSize = 100

  /// The initial capacity of a set of identifiers. Hashes depend on the store's identifier, which is random. In a set
  /// that is nearly full, the number of collisions depends so much on the hashes that the instruction counts would
  /// differ by some per cent.
  public var setCapacity: Int { 2 * rows }

  /// The maximum number of rows in an indexed range query.
  public let limit = 20

  /// The number of rows that the update workload changes and the delete workload deletes: half of all rows.
  public var half: Int { rows / 2 }

  /// The parents and children of the workloads with relationships.
  public var graph: GraphPlan { GraphPlan(children: rows) }

  /// The number of different values of `count`.
  private let countDomain: Int

  public init(rows: Int, queries: Int = 1000) {
    let domain = max(rows / 10, 1000)
    var random = SeededGenerator(seed: 2)
    let starts = (0..<queries).map { _ in Int.random(in: 0..<(domain - domain / 100), using: &random) }
    self.rows = rows
    countDomain = domain
    wideRanges = starts.map { $0..<($0 + domain / 100) }
    narrowRanges = starts.map { $0..<($0 + domain / 1000) }
  }

  /// The rows' values, which are the same for every call.
  public func makeItems() -> [ItemValues] {
    var random = SeededGenerator(seed: 1)
    return (0..<rows).map { ItemValues(row: $0, countDomain: countDomain, random: &random) }
  }

  /// Shuffles the identifiers, so that look-ups are scattered over the table. The order is the same for all contenders.
  public func shuffled<Identifier>(_ identifiers: [Identifier]) -> [Identifier] {
    var random = SeededGenerator(seed: 3)
    return identifiers.shuffled(using: &random)
  }

  /// The identifiers in the order of ``shuffled(_:)``, in groups of ``groupSize``.
  public func shuffledGroups<Identifier>(_ identifiers: [Identifier]) -> [[Identifier]] {
    let shuffled = shuffled(identifiers)
    return stride(from: 0, to: shuffled.count, by: groupSize).map { start in
      Array(shuffled[start..<min(shuffled.count, start + groupSize)])
    }
  }
}
