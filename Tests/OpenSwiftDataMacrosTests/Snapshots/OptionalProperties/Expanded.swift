
final class Trip {
  @PersistenceCore._PersistedProperty(0)
  var note: String?
  @PersistenceCore._PersistedProperty(1)
  var rating: Optional<Int>
  @PersistenceCore._PersistedProperty(2)
  var place: Swift.Optional<String>
  @PersistenceCore._PersistedProperty(3)
  var owner: Person!
  @PersistenceCore._PersistedProperty(4)
  var pair: (Mood)? = nil

  init() {}

  @exclusivity(unchecked) nonisolated(unsafe) private var _$modelState = PersistenceCore.ModelState()

  nonisolated final var _$state: UnsafeMutablePointer<PersistenceCore.ModelState> {
    unsafe withUnsafeMutablePointer(to: &_$modelState) {
      $0
    }
  }

  nonisolated static var schemaMetadata: [PersistenceCore.Schema.PropertyMetadata] {
    [
      PersistenceCore.Schema.PropertyMetadata(name: "note", keypath: \Trip.note, defaultValue: nil as String?, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "rating", keypath: \Trip.rating, defaultValue: nil as Optional<Int>, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "place", keypath: \Trip.place, defaultValue: nil as Swift.Optional<String>, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "owner", keypath: \Trip.owner, defaultValue: nil as Person?, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "pair", keypath: \Trip.pair, defaultValue: (nil) as (Mood)?, metadata: nil)
    ]
  }

  nonisolated init(backingData: any PersistenceCore.BackingData<Trip>) {
    _note = .fault
    _rating = .fault
    _place = .fault
    _owner = .fault
    _pair = .fault
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
    _note = row.slot(0)
    _rating = row.slot(1)
    _place = row.slot(2)
    _owner = row.slot(3)
    _pair = row.slot(4)
  }

  nonisolated static func _$make(_ row: inout PersistenceCore.RowReader) -> Self {
    PersistenceCore._$beginDecoding()
    return Self(_$row: &row)
  }

  nonisolated func _$read(_ row: inout PersistenceCore.RowReader) {
    if row.refresh(_note, 0) {
      _$notify(\.note) {
        _note = row.slot(0)
      }
    }
    if row.refresh(_rating, 1) {
      _$notify(\.rating) {
        _rating = row.slot(1)
      }
    }
    if row.refresh(_place, 2) {
      _$notify(\.place) {
        _place = row.slot(2)
      }
    }
    if row.refresh(_owner, 3) {
      _$notify(\.owner) {
        _owner = row.slot(3)
      }
    }
    if row.refresh(_pair, 4) {
      _$notify(\.pair) {
        _pair = row.slot(4)
      }
    }
  }

  nonisolated func _$write(_ row: inout PersistenceCore.RowWriter) {
    row.write(_note, 0)
    row.write(_rating, 1)
    row.write(_place, 2)
    row.write(_owner, 3)
    row.write(_pair, 4)
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
