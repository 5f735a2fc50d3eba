import SwiftData
import Testing

/// A model with one property for each type of number.
@Model
final class Numbers {
  var position: Int
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var int: Int = 0
  var uint8: UInt8 = 0
  var uint16: UInt16 = 0
  var uint32: UInt32 = 0
  var uint64: UInt64 = 0
  var uint: UInt = 0
  var double: Double = 0
  var float: Float = 0
  var decimal: Decimal = Decimal(0)
  var bool: Bool = false
  var optionalInt8: Int8?
  var optionalInt64: Int64?
  var optionalUInt64: UInt64?
  var optionalDouble: Double?
  var optionalFloat: Float?
  var optionalDecimal: Decimal?
  var optionalBool: Bool?

  init(position: Int) { self.position = position }
}

/// A model with one property for each other type of single value.
@Model
final class Scalars {
  var position: Int
  var string: String = ""
  var data: Data = Data()
  var date: Date = Date(timeIntervalSinceReferenceDate: 0)
  var uuid: UUID = UUID()
  var url: URL = URL(string: "https://example.org")!
  var genre: Genre = Genre.novel
  var shelf: Shelf = Shelf.low
  var optionalString: String?
  var optionalData: Data?
  var optionalDate: Date?
  var optionalUUID: UUID?
  var optionalURL: URL?
  var optionalGenre: Genre?
  var optionalShelf: Shelf?

  init(position: Int) { self.position = position }
}

enum Shape: Codable, Equatable {
  case point
  case circle(radius: Double)
  case polygon([Int], name: String?)
  indirect case group(Shape, Shape)
}

struct Place: Codable, Equatable {
  var city: String
  var zip: Int?
  var position: Position
}

struct Position: Codable, Equatable {
  var latitude: Double
  var longitude: Double
  var note: String?
}

/// A model with properties whose values consist of several values, such as structs and arrays.
@Model
final class Compounds {
  var position: Int
  var shape: Shape = Shape.point
  var place: Place = Place(city: "", zip: nil, position: Position(latitude: 0, longitude: 0))
  var duration: Duration = Duration.zero
  var strings: [String] = []
  var integers: [Int] = []
  var wide: [UInt64] = []
  var doubles: [Double] = []
  var floats: [Float] = []
  var decimals: [Decimal] = []
  var dates: [Date] = []
  var blobs: [Data] = []
  var urls: [URL] = []
  var uuids: [UUID] = []
  var genres: [Genre] = []
  var places: [Place] = []
  var gaps: [Int?] = []
  var nested: [[String]] = []
  var byName: [String: Int] = [:]
  var byNumber: [Int: String] = [:]
  var byGenre: [Genre: Int] = [:]
  var byUUID: [UUID: Double] = [:]
  var members: Set<String> = []
  var numbers: Set<Int> = []
  var optionalShape: Shape?
  var optionalPlace: Place?
  var optionalDuration: Duration?
  var optionalStrings: [String]?
  var optionalByNumber: [Int: String]?
  var optionalMembers: Set<String>?

  init(position: Int) { self.position = position }
}

/// A model whose objects the tests identify by a number.
protocol Positioned: PersistentModel {
  var position: Int { get }
  init(position: Int)
}

extension Numbers: Positioned {}
extension Scalars: Positioned {}
extension Compounds: Positioned {}

/// Saves each value in the property of an object, reopens the store, and compares the values that are read with the
/// saved ones.
func expectRoundTrip<Model: Positioned, Value: Equatable>(
  _ engine: Engine, _ keyPath: ReferenceWritableKeyPath<Model, Value>, _ values: [Value],
  same: (Value, Value) -> Bool = { $0 == $1 }, location: SourceLocation = #_sourceLocation
) throws {
  let store = try TestStore(engine, [Model.self])
  let context = store.context()
  // Each value is saved twice: an inserted object has it from the beginning, and another object gets it by a later
  // update.
  var models: [Model] = []
  for number in 0..<(values.count * 2) {
    let model = Model(position: number)
    if number < values.count { model[keyPath: keyPath] = values[number] }
    context.insert(model)
    models.append(model)
  }
  try context.save()
  for (number, value) in values.enumerated() { models[values.count + number][keyPath: keyPath] = value }
  try context.save()
  models = []
  try store.reopen()
  let found = try store.context().fetch(FetchDescriptor<Model>()).sorted { $0.position < $1.position }
  try #require(found.count == values.count * 2, sourceLocation: location)
  for (number, value) in (values + values).enumerated() {
    let back = found[number][keyPath: keyPath]
    let comment: Comment = number < values.count ? "inserted" : "edited"
    // The message contains only the first 80 characters, because some values are very long.
    #expect(
      same(back, value), "\(comment): \("\(value)".prefix(80)) came back as \("\(back)".prefix(80))",
      sourceLocation: location)
  }
}
