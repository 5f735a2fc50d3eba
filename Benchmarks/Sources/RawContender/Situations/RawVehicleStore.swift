import BenchmarkCore
import CSQLiteBenchmark

/// The situation with two levels of subclasses, in hand-written code: one table with a column for the class.
///
/// The column has an index, as in the library's table. Without it, a fetch of one class would read the rows of all
/// classes.
struct RawVehicleStore {
  private let connection: RawConnection
  private let transactions: RawTransactions

  init(_ connection: RawConnection) throws {
    self.connection = connection
    try connection.execute(
      """
      CREATE TABLE vehicle(
        id INTEGER PRIMARY KEY, class TEXT NOT NULL, name TEXT NOT NULL, wheels INTEGER NOT NULL, weight REAL NOT NULL,
        doors INTEGER, maker TEXT, top_speed REAL);
      CREATE INDEX vehicle_class ON vehicle(class)
      """)
    transactions = try RawTransactions(on: connection)
  }

  func run(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    try insert(plan.makeVehicles().map(RawVehicle.make), stopwatch)
    let fetch = try connection.prepare("SELECT \(RawVehicle.columns) FROM vehicle")
    let (vehicles, sum) = try stopwatch.measure {
      var vehicles: [RawVehicle] = []
      try fetch.forEachRow { vehicles.append(RawVehicle.make(row: $0)) }
      return (vehicles, Self.sum(of: vehicles))
    }
    return vehicles.reduce(Int(sum)) { $0 &+ $1.values.checksum }
  }

  private func insert(_ vehicles: [RawVehicle], _ stopwatch: Stopwatch) throws {
    let insert = try connection.prepare(
      "INSERT INTO vehicle(class, name, wheels, weight, doors, maker, top_speed) VALUES (?, ?, ?, ?, ?, ?, ?)")
    try stopwatch.measure {
      try transactions.run {
        for vehicle in vehicles { try vehicle.insert(with: insert) }
      }
    }
  }

  /// The sum of a field of the base class and a field of the last subclass.
  private static func sum(of vehicles: [RawVehicle]) -> Double {
    vehicles.reduce(0) { sum, vehicle in
      sum + Double(vehicle.wheels) + ((vehicle as? RawSportsCar)?.topSpeed ?? 0)
    }
  }
}

/// The hand-written base class.
class RawVehicle {
  static let columns = "id, class, name, wheels, weight, doors, maker, top_speed"

  var id: Int64 = 0
  var name: String
  var wheels: Int
  var weight: Double

  init(_ values: VehicleValues) {
    (name, wheels, weight) = (values.name, values.wheels, values.weight)
  }

  init(row: OpaquePointer) {
    id = sqlite3_column_int64(row, 0)
    name = RawText.read(row, 2) ?? ""
    wheels = Int(sqlite3_column_int64(row, 3))
    weight = sqlite3_column_double(row, 4)
  }

  /// The text in the column of the class.
  class var className: StaticString { "Vehicle" }

  static func make(_ values: VehicleValues) -> RawVehicle {
    switch values.kind {
    case .vehicle: RawVehicle(values)
    case .motorcar: RawMotorcar(values)
    case .sportsCar: RawSportsCar(values)
    }
  }

  /// Creates an object of the class that the current row of the statement names. The names of the classes differ in
  /// their first letters, so only these are compared.
  static func make(row: OpaquePointer) -> RawVehicle {
    switch sqlite3_column_text(row, 1)?.pointee {
    case UInt8(ascii: "M"): RawMotorcar(row: row)
    case UInt8(ascii: "S"): RawSportsCar(row: row)
    default: RawVehicle(row: row)
    }
  }

  /// Binds all values, and runs the statement while the pointers to the texts are valid.
  final func insert(with statement: RawStatement) throws {
    let (handle, type) = (statement.handle, Self.className)
    RawText.bind(UnsafeBufferPointer(start: type.utf8Start, count: type.utf8CodeUnitCount), handle, 1)
    sqlite3_bind_int64(handle, 3, Int64(wheels))
    sqlite3_bind_double(handle, 4, weight)
    var name = name
    try name.withUTF8 { name in
      RawText.bind(name, handle, 2)
      try bindOwnAndRun(statement)
    }
  }

  /// Binds the values of subclasses, and runs the statement.
  func bindOwnAndRun(_ statement: RawStatement) throws {
    for column: Int32 in 5...7 { sqlite3_bind_null(statement.handle, column) }
    try statement.run()
  }

  var values: VehicleValues {
    VehicleValues(kind: .vehicle, name: name, wheels: wheels, weight: weight)
  }
}

/// The hand-written class of the second level.
class RawMotorcar: RawVehicle {
  var doors: Int
  var maker: String

  override init(_ values: VehicleValues) {
    (doors, maker) = (values.doors, values.maker)
    super.init(values)
  }

  override init(row: OpaquePointer) {
    doors = Int(sqlite3_column_int64(row, 5))
    maker = RawText.read(row, 6) ?? ""
    super.init(row: row)
  }

  override class var className: StaticString { "Motorcar" }

  override func bindOwnAndRun(_ statement: RawStatement) throws {
    sqlite3_bind_null(statement.handle, 7)
    try bindMotorcarAndRun(statement)
  }

  final func bindMotorcarAndRun(_ statement: RawStatement) throws {
    sqlite3_bind_int64(statement.handle, 5, Int64(doors))
    var maker = maker
    try maker.withUTF8 { maker in
      RawText.bind(maker, statement.handle, 6)
      try statement.run()
    }
  }

  override var values: VehicleValues {
    VehicleValues(kind: .motorcar, name: name, wheels: wheels, weight: weight, doors: doors, maker: maker)
  }
}

/// The hand-written class of the third level.
final class RawSportsCar: RawMotorcar {
  var topSpeed: Double

  override init(_ values: VehicleValues) {
    topSpeed = values.topSpeed
    super.init(values)
  }

  override init(row: OpaquePointer) {
    topSpeed = sqlite3_column_double(row, 7)
    super.init(row: row)
  }

  override class var className: StaticString { "SportsCar" }

  override func bindOwnAndRun(_ statement: RawStatement) throws {
    sqlite3_bind_double(statement.handle, 7, topSpeed)
    try bindMotorcarAndRun(statement)
  }

  override var values: VehicleValues {
    VehicleValues(
      kind: .sportsCar, name: name, wheels: wheels, weight: weight, doors: doors, maker: maker, topSpeed: topSpeed)
  }
}
