
final class Trip {
  @PersistenceCore._PersistedProperty(0)
  var id: UUID = UUID()
  @PersistenceCore._PersistedProperty(1)
  var days = 1
  @PersistenceCore._PersistedProperty(2)
  var status = Status.planned
  @PersistenceCore._PersistedProperty(3)
  var mood: Mood = .calm
  @PersistenceCore._PersistedProperty(4)
  var tags: [String] = []
  @PersistenceCore._PersistedProperty(5) var name: String = ""
  @PersistenceCore._PersistedProperty(6)
  var price: Decimal = {
    Decimal(10)
  }()

  init() {}

  @exclusivity(unchecked) nonisolated(unsafe) private var _$modelState = PersistenceCore.ModelState()

  nonisolated final var _$state: UnsafeMutablePointer<PersistenceCore.ModelState> {
    unsafe withUnsafeMutablePointer(to: &_$modelState) {
      $0
    }
  }

  nonisolated static var schemaMetadata: [PersistenceCore.Schema.PropertyMetadata] {
    [
      PersistenceCore.Schema.PropertyMetadata(name: "id", keypath: \Trip.id, defaultValue: (UUID()) as UUID, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "days", keypath: \Trip.days, defaultValue: 1, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "status", keypath: \Trip.status, defaultValue: Status.planned, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "mood", keypath: \Trip.mood, defaultValue: (.calm) as Mood, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "tags", keypath: \Trip.tags, defaultValue: ([]) as [String], metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "name", keypath: \Trip.name, defaultValue: ("") as String, metadata: PersistenceCore.Schema.Attribute(.unique, originalName: "label")),
      PersistenceCore.Schema.PropertyMetadata(name: "price", keypath: \Trip.price, defaultValue: ({
      Decimal(10)
    }()) as Decimal, metadata: nil)
    ]
  }

  nonisolated init(backingData: any PersistenceCore.BackingData<Trip>) {
    _id = .fault
    _days = .fault
    _status = .fault
    _mood = .fault
    _tags = .fault
    _name = .fault
    _price = .fault
    self._$adopt(backingData)
  }

  nonisolated var persistentBackingData: any PersistenceCore.BackingData<Trip> {
    get {
      PersistenceCore.ModelBackingData(self)
    }
    set {
      _$adopt(newValue)
    }
  }

  nonisolated init(_$row row: inout PersistenceCore.RowReader) {
    row.beginModel()
    _id = row.slot(0)
    _days = row.slot(1)
    _status = row.slot(2)
    _mood = row.slot(3)
    _tags = row.slot(4)
    _name = row.slot(5)
    _price = row.slot(6)
  }

  nonisolated static func _$make(_ row: inout PersistenceCore.RowReader) -> Self {
    PersistenceCore._$beginDecoding()
    return Self(_$row: &row)
  }

  nonisolated func _$read(_ row: inout PersistenceCore.RowReader) {
    if row.refresh(_id, 0) {
      _$notify(\.id) {
        _id = row.slot(0)
      }
    }
    if row.refresh(_days, 1) {
      _$notify(\.days) {
        _days = row.slot(1)
      }
    }
    if row.refresh(_status, 2) {
      _$notify(\.status) {
        _status = row.slot(2)
      }
    }
    if row.refresh(_mood, 3) {
      _$notify(\.mood) {
        _mood = row.slot(3)
      }
    }
    if row.refresh(_tags, 4) {
      _$notify(\.tags) {
        _tags = row.slot(4)
      }
    }
    if row.refresh(_name, 5) {
      _$notify(\.name) {
        _name = row.slot(5)
      }
    }
    if row.refresh(_price, 6) {
      _$notify(\.price) {
        _price = row.slot(6)
      }
    }
  }

  nonisolated func _$write(_ row: inout PersistenceCore.RowWriter) {
    row.write(_id, 0)
    row.write(_days, 1)
    row.write(_status, 2)
    row.write(_mood, 3)
    row.write(_tags, 4)
    row.write(_name, 5)
    row.write(_price, 6)
  }

  nonisolated static func _$decode(_ rows: inout PersistenceCore.RowReader) throws {
    try rows.decodeAll(Trip.self)
  }

  nonisolated static func _$encode(_ rows: inout PersistenceCore.RowWriter) throws {
    try rows.encodeAll(Trip.self)
  }

  internal nonisolated func access<Member>(keyPath: KeyPath<Trip, Member>) {
    _$access(keyPath)
  }

  internal nonisolated func withMutation<Member, MutationResult>(
    keyPath: KeyPath<Trip, Member>, _ mutation: () throws -> MutationResult
  ) rethrows -> MutationResult {
    try _$withMutation(keyPath, mutation)
  }

  struct _SwiftDataNoType {
  }
}

extension Trip: nonisolated PersistenceCore.Observable {
}

extension Trip: nonisolated PersistenceCore.PersistentModel {
}

@available(*, unavailable, message: "a model belongs to its context and cannot cross to another task or actor; send its persistentModelID and look the model up there")
extension Trip: Sendable {
}
