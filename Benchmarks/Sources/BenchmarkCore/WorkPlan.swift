/// What a round works on: the same rows, ranges and numbers for every contender.
public struct WorkPlan: Sendable {
  /// The number of rows in the table.
  public let rows: Int

  /// Ranges of `count` that about a hundredth of the rows fall in.
  public let wideRanges: [Range<Int>]

  /// Ranges of `count` that about a thousandth of the rows fall in.
  public let narrowRanges: [Range<Int>]

  /// How often all rows are counted in one sample.
  public let counts = 100

  /// How often nothing is looked for in one sample.
  public let searches = 10_000

  /// Ranges of `count` that no row falls in, one for each search.
  public var emptyRanges: [Range<Int>] { (0..<searches).map { countDomain + $0..<countDomain + $0 + 10 } }

  /// How often the database is opened in one sample.
  public let openings = 200

  /// How often one row is saved in one sample.
  public var saves: Int { max(1_000, rows / 10) }

  /// How many clients save at a time.
  public let clients = 8

  /// How often each client saves its row in one sample.
  public var savesOfEachClient: Int { saves / 4 }

  /// How many rows are looked up at a time.
  public let groupSize = 100

  /// How many identifiers a set has room for from the beginning. Hashes depend on the store's identifier, which is
  /// random, and in a set that is nearly full so many identifiers meet another that instructions differ by some per cent.
  public var setCapacity: Int { 2 * rows }

  /// How many rows an indexed range query takes at most.
  public let limit = 20

  /// The number of rows that are changed, and then deleted.
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

  /// The rows' values, which are the same at every call.
  public func makeItems() -> [ItemValues] {
    var random = SeededGenerator(seed: 1)
    return (0..<rows).map { ItemValues(row: $0, countDomain: countDomain, random: &random) }
  }

  /// The same shuffling of the identifiers for all contenders, so that look-ups jump about in the table.
  public func shuffled<Identifier>(_ identifiers: [Identifier]) -> [Identifier] {
    var random = SeededGenerator(seed: 3)
    return identifiers.shuffled(using: &random)
  }

  /// Groups of the same shuffling.
  public func shuffledGroups<Identifier>(_ identifiers: [Identifier]) -> [[Identifier]] {
    let shuffled = shuffled(identifiers)
    return stride(from: 0, to: shuffled.count, by: groupSize).map { start in
      Array(shuffled[start..<min(shuffled.count, start + groupSize)])
    }
  }
}
