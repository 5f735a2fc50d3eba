/// The rows and the numbers of the command `scale`.
public struct ScalePlan: Sendable {
  /// The number of readings. It is a power of ten, so that ``code(of:)`` gives each reading a different code.
  public let rows: Int

  /// The number of readings of each station.
  public let readingsOfEach = 100

  /// The number of rows that a batch inserts or enumerates.
  public let batch = 5_000

  /// The number of rows in a range.
  public let range = 1_000

  /// The number of saves of one row. They are measured when they run for the second time.
  public let saves = 1_000

  /// The maximum number of rows in a query with a limit.
  public let limit = 20

  /// A hundredth of the rows, which is updated or deleted.
  public var share: Int { rows / 100 }

  public init(rows: Int) {
    self.rows = rows
  }

  /// The code of a row. The codes are the numbers below ``rows`` in a scattered order.
  public func code(of row: Int) -> Int { row &* 2_654_435_761 % rows }

  /// The group of a row, of which there are 100.
  public func level(of row: Int) -> Int { row % 100 }

  /// Scattered numbers below a limit.
  public func scattered(_ count: Int, below limit: Int) -> [Int] {
    var random = SeededGenerator(seed: 7)
    return (0..<count).map { _ in Int.random(in: 0..<max(1, limit), using: &random) }
  }
}
