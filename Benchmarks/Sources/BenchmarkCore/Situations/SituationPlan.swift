/// The data and the numbers of the situations. Hand-written code and the library get the same rows and numbers.
public struct SituationPlan: Sendable {
  /// The items of the situations that save single fields.
  public let items: WorkPlan

  /// The number of items in the table.
  public var rows: Int { items.rows }

  /// The number of contexts that come and go.
  public let contexts = 1_000

  /// The number of saves of one row.
  public let saves = 1_000

  /// The number of objects that each save with undo changes.
  public let undoable = 1_000

  /// The number of saves with undo.
  public let undoableSaves = 10

  /// The number of changed fields in all saves with undo.
  public var undoableChanges: Int { undoable * undoableSaves }

  /// The number of rows that the situations with models of their own insert: a tenth of the items.
  public var newRows: Int { max(1_000, rows / 10) }

  /// The number of large values.
  public let scans = 50

  /// The size of a large value in bytes.
  public let scanBytes = 1_000_000

  /// The number of entities of the large schema. Each of them has seven properties.
  public let entities = 200

  /// The number of readers that work at the same time as a writer.
  public let readers = 4

  /// How long the readers and the writer work, in seconds.
  public let seconds = 2.0

  /// The key of the encrypted texts.
  public let encryptionKey = (0..<32).map { UInt8($0 * 7 + 1) }

  public init(rows: Int) {
    items = WorkPlan(rows: rows)
  }

  /// Positions of different rows, scattered over the table. The first row has position 0.
  public func scattered(_ count: Int) -> [Int] {
    Array(items.shuffled(Array(0..<rows)).prefix(count))
  }

  /// The vehicles of the situation with subclasses: the three classes take turns.
  public func makeVehicles() -> [VehicleValues] {
    (0..<newRows).map { VehicleValues(row: $0) }
  }

  /// The parcels of the situation with a struct of ten members.
  public func makeParcels() -> [ParcelValues] {
    (0..<newRows).map { ParcelValues(row: $0) }
  }

  /// The letters of the situation with encrypted texts.
  public func makeLetters() -> [LetterValues] {
    (0..<newRows).map { LetterValues(row: $0) }
  }

  /// The large values, which have different bytes.
  public func makeScans() -> [ScanValues] {
    (0..<scans).map { ScanValues(number: $0, bytes: scanBytes) }
  }
}
