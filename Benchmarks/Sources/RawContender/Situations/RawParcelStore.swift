import BenchmarkCore
import CSQLiteBenchmark

/// The situation with a struct of ten members, in hand-written code: a table with a column for each member.
struct RawParcelStore {
  private let connection: RawConnection
  private let transactions: RawTransactions

  init(_ connection: RawConnection) throws {
    self.connection = connection
    try connection.execute(
      """
      CREATE TABLE parcel(
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, width REAL NOT NULL, height REAL NOT NULL, depth REAL NOT NULL,
        weight REAL NOT NULL, shelf INTEGER NOT NULL, place INTEGER NOT NULL, pieces INTEGER NOT NULL,
        is_fragile INTEGER NOT NULL, label TEXT NOT NULL, city TEXT NOT NULL)
      """)
    transactions = try RawTransactions(on: connection)
  }

  func run(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    try insert(plan.makeParcels().map { RawParcel($0) }, stopwatch)
    let fetch = try connection.prepare("SELECT \(RawParcel.columns) FROM parcel")
    let (parcels, sum) = try stopwatch.measure {
      var parcels: [RawParcel] = []
      try fetch.forEachRow { parcels.append(RawParcel(row: $0)) }
      return (parcels, parcels.reduce(0) { $0 + $1.details.weight + Double($1.details.pieces) })
    }
    return parcels.reduce(Int(sum)) { $0 &+ ParcelValues(name: $1.name, details: $1.details).checksum }
  }

  private func insert(_ parcels: [RawParcel], _ stopwatch: Stopwatch) throws {
    let insert = try connection.prepare(
      """
      INSERT INTO parcel(name, width, height, depth, weight, shelf, place, pieces, is_fragile, label, city)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    try stopwatch.measure {
      try transactions.run {
        for parcel in parcels { try parcel.insert(with: insert) }
      }
    }
  }
}

/// The hand-written class of a parcel.
final class RawParcel {
  /// The columns in the order in which ``init(row:)`` reads them.
  static let columns = "id, name, width, height, depth, weight, shelf, place, pieces, is_fragile, label, city"

  var id: Int64
  var name: String
  var details: ParcelDetails

  init(_ values: ParcelValues) {
    (id, name, details) = (0, values.name, values.details)
  }

  init(row: OpaquePointer) {
    id = sqlite3_column_int64(row, 0)
    name = RawText.read(row, 1) ?? ""
    details = ParcelDetails(
      width: sqlite3_column_double(row, 2), height: sqlite3_column_double(row, 3), depth: sqlite3_column_double(row, 4),
      weight: sqlite3_column_double(row, 5), shelf: Int(sqlite3_column_int64(row, 6)),
      place: Int(sqlite3_column_int64(row, 7)), pieces: Int(sqlite3_column_int64(row, 8)),
      isFragile: sqlite3_column_int64(row, 9) != 0, label: RawText.read(row, 10) ?? "",
      city: RawText.read(row, 11) ?? "")
  }

  /// Binds all values, and runs the statement while the pointers to the texts are valid.
  func insert(with statement: RawStatement) throws {
    let handle = statement.handle
    bindNumbers(handle)
    var texts = (name, details.label, details.city)
    try texts.0.withUTF8 { name in
      try texts.1.withUTF8 { label in
        try texts.2.withUTF8 { city in
          RawText.bind(name, handle, 1)
          RawText.bind(label, handle, 10)
          RawText.bind(city, handle, 11)
          try statement.run()
        }
      }
    }
  }

  private func bindNumbers(_ handle: OpaquePointer) {
    sqlite3_bind_double(handle, 2, details.width)
    sqlite3_bind_double(handle, 3, details.height)
    sqlite3_bind_double(handle, 4, details.depth)
    sqlite3_bind_double(handle, 5, details.weight)
    sqlite3_bind_int64(handle, 6, Int64(details.shelf))
    sqlite3_bind_int64(handle, 7, Int64(details.place))
    sqlite3_bind_int64(handle, 8, Int64(details.pieces))
    sqlite3_bind_int64(handle, 9, details.isFragile ? 1 : 0)
  }
}
