
final class Trip {
  let code: String
  let start: Date?
  let kind = "trip"
  @PersistenceCore._PersistedProperty(2)
  var name: String

  init(code: String, start: Date?, name: String) {
    self.code = code
    self.start = start
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
      PersistenceCore.Schema.PropertyMetadata(name: "code", keypath: \Trip.code, defaultValue: nil, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "start", keypath: \Trip.start, defaultValue: nil, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "name", keypath: \Trip.name, defaultValue: nil, metadata: nil)
    ]
  }

  nonisolated init(backingData: any PersistenceCore.BackingData<Trip>) {
    self.code = backingData.getValue(forKey: \.code)
    self.start = backingData.getValue(forKey: \.start)
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
    self.code = row.constant(0)
    self.start = row.constant(1)
    _name = row.slot(2)
  }

  nonisolated static func _$make(_ row: inout PersistenceCore.RowReader) -> Self {
    PersistenceCore._$beginDecoding()
    return Self(_$row: &row)
  }

  nonisolated func _$read(_ row: inout PersistenceCore.RowReader) {
    row.skip(self.code, 0)
    row.skip(self.start, 1)
    if row.refresh(_name, 2) {
      _$notify(\.name) {
        _name = row.slot(2)
      }
    }
  }

  nonisolated func _$write(_ row: inout PersistenceCore.RowWriter) {
    row.write(.value(self.code), 0)
    row.write(.value(self.start), 1)
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
