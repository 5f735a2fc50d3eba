
final class Trip {
  @PersistenceCore._PersistedProperty(0) var stops: [Stop] = []
  @PersistenceCore._PersistedProperty(1)
  var guests: [Person]?
  @PersistenceCore._PersistedProperty(2) var guide: Person?
  @SwiftData.Relationship(minimumModelCount: 1, originalName: "car")
  @PersistenceCore._PersistedProperty(3) var vehicle: Vehicle

  init(vehicle: Vehicle) {
    self.vehicle = vehicle
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _$modelState = PersistenceCore.ModelState()

  nonisolated final var _$state: UnsafeMutablePointer<PersistenceCore.ModelState> {
    unsafe withUnsafeMutablePointer(to: &_$modelState) {
      $0
    }
  }

  nonisolated static var schemaMetadata: [PersistenceCore.Schema.PropertyMetadata] {
    [
      PersistenceCore.Schema.PropertyMetadata(name: "stops", keypath: \Trip.stops, defaultValue: ([]) as [Stop], metadata: PersistenceCore.Schema.Relationship(deleteRule: .cascade, inverse: \Stop.trip)),
      PersistenceCore.Schema.PropertyMetadata(name: "guests", keypath: \Trip.guests, defaultValue: nil as [Person]?, metadata: PersistenceCore.Schema.Relationship(deleteRule: .nullify,
      inverse: \Person.trips)),
      PersistenceCore.Schema.PropertyMetadata(name: "guide", keypath: \Trip.guide, defaultValue: nil as Person?, metadata: PersistenceCore.Schema.Relationship()),
      PersistenceCore.Schema.PropertyMetadata(name: "vehicle", keypath: \Trip.vehicle, defaultValue: nil, metadata: PersistenceCore.Schema.Relationship(minimumModelCount: 1, originalName: "car"))
    ]
  }

  nonisolated init(backingData: any PersistenceCore.BackingData<Trip>) {
    _stops = .fault
    _guests = .fault
    _guide = .fault
    _vehicle = .fault
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
    _stops = row.slot(0)
    _guests = row.slot(1)
    _guide = row.slot(2)
    _vehicle = row.slot(3)
  }

  nonisolated static func _$make(_ row: inout PersistenceCore.RowReader) -> Self {
    PersistenceCore._$beginDecoding()
    return Self(_$row: &row)
  }

  nonisolated func _$read(_ row: inout PersistenceCore.RowReader) {
    if row.refresh(_stops, 0) {
      _$notify(\.stops) {
        _stops = row.slot(0)
      }
    }
    if row.refresh(_guests, 1) {
      _$notify(\.guests) {
        _guests = row.slot(1)
      }
    }
    if row.refresh(_guide, 2) {
      _$notify(\.guide) {
        _guide = row.slot(2)
      }
    }
    if row.refresh(_vehicle, 3) {
      _$notify(\.vehicle) {
        _vehicle = row.slot(3)
      }
    }
  }

  nonisolated func _$write(_ row: inout PersistenceCore.RowWriter) {
    row.write(_stops, 0)
    row.write(_guests, 1)
    row.write(_guide, 2)
    row.write(_vehicle, 3)
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
