import BenchmarkCore
import Foundation
import OpenSwiftData

/// Measures what R-trees over decimals cost for an insertion and gain for a query.
public struct SpatialWeight: Sendable {
  /// The times for one type of coordinates, in milliseconds.
  public struct Result: Sendable {
    public let title: String
    public let insertion: Double
    /// For each of the ``shares``: the time of one query in milliseconds, and the number of rows that it finds.
    public let queries: [(milliseconds: Double, found: Int)]
  }

  /// The sizes of the queried boxes, as shares of each dimension.
  public static let shares = [0.001, 0.01, 0.1]

  /// The coordinates are integers up to this one, which an R-tree stores without rounding. It would round numbers with
  /// four decimal places.
  private static let domain = 1_000_000
  private static let queriesOfEachShare = 20

  public static func measure(rows: Int, in folder: URL) throws -> [Result] {
    [
      try measure(PlainLot.self, "decimals, no index", rows, folder),
      try measure(DecimalLot.self, "decimals, R-tree", rows, folder),
      try measure(DoubleLot.self, "doubles, R-tree", rows, folder),
    ]
  }

  private static func measure<Place: Lot>(
    _ type: Place.Type, _ title: String, _ rows: Int, _ folder: URL
  ) throws -> Result {
    let file = folder.appending(path: "\(type).store")
    let context = ModelContext(try ModelContainer(for: type, configurations: .withoutHistory(file)))
    var random = SeededGenerator(seed: 3)
    let insertion = try ContinuousClock().measure {
      for _ in 0..<rows {
        context.insert(Place(.random(in: 0..<domain, using: &random), .random(in: 0..<domain, using: &random)))
      }
      try context.save()
    }
    let queries = try shares.map { try query(context, type, share: $0, &random) }
    return Result(title: title, insertion: insertion / .milliseconds(1), queries: queries)
  }

  private static func query<Place: Lot>(
    _ context: ModelContext, _ type: Place.Type, share: Double, _ random: inout SeededGenerator
  ) throws -> (Double, Int) {
    let width = Int(Double(domain) * share)
    var found = 0
    let time = try ContinuousClock().measure {
      for _ in 0..<queriesOfEachShare {
        let (x, y) = (
          Int.random(in: 0..<domain - width, using: &random), Int.random(in: 0..<domain - width, using: &random)
        )
        let descriptor = FetchDescriptor(predicate: Place.box(x: x...x + width, y: y...y + width))
        found += try context.fetchIdentifiers(descriptor).count
      }
    }
    return (time / .milliseconds(queriesOfEachShare), found / queriesOfEachShare)
  }
}
