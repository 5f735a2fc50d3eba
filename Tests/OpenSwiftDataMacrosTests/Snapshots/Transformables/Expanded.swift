
final class Trip {
  @PersistenceCore._TransformablePersistedProperty(0) var route: Route
  @PersistenceCore._TransformablePersistedProperty(1) var place: Place?
  @PersistenceCore._PersistedProperty(2) var name: String

  init(route: Route, name: String) {
    self.route = route
    self.name = name
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _$modelState = PersistenceCore.ModelState()

  nonisolated final var _$state: UnsafeMutablePointer<PersistenceCore.ModelState> {
    unsafe withUnsafeMutablePointer(to: &_$modelState) {
      $0
    }
  }

  nonisolated static var schemaMetadata: [PersistenceCore.Schema.PropertyMetadata] {
    [
      PersistenceCore.Schema.PropertyMetadata(name: "route", keypath: \Trip.route, defaultValue: nil, metadata: PersistenceCore.Schema.Attribute(.transformable(by: RouteTransformer.self))),
      PersistenceCore.Schema.PropertyMetadata(name: "place", keypath: \Trip.place, defaultValue: nil as Place?, metadata: PersistenceCore.Schema.Attribute(.unique, .transformable(by: "PlaceTransformer"))),
      PersistenceCore.Schema.PropertyMetadata(name: "name", keypath: \Trip.name, defaultValue: nil, metadata: PersistenceCore.Schema.Attribute(originalName: "transformable"))
    ]
  }

  nonisolated init(backingData: any PersistenceCore.BackingData<Trip>) {
    _route = .fault
    _place = .fault
    _name = .fault
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
    _route = row.transformed(0)
    _place = row.transformed(1)
    _name = row.slot(2)
  }

  nonisolated static func _$make(_ row: inout PersistenceCore.RowReader) -> Self {
    PersistenceCore._$beginDecoding()
    return Self(_$row: &row)
  }

  nonisolated func _$read(_ row: inout PersistenceCore.RowReader) {
    if row.refreshTransformed(_route, 0) {
      _$notify(\.route) {
        _route = row.transformed(0)
      }
    }
    if row.refreshTransformed(_place, 1) {
      _$notify(\.place) {
        _place = row.transformed(1)
      }
    }
    if row.refresh(_name, 2) {
      _$notify(\.name) {
        _name = row.slot(2)
      }
    }
  }

  nonisolated func _$write(_ row: inout PersistenceCore.RowWriter) {
    row.transform(_route, 0)
    row.transform(_place, 1)
    row.write(_name, 2)
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
