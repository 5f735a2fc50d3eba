
public class Trip {
  @PersistenceCore._PersistedProperty(0)
  public var name: String
  @PersistenceCore._PersistedProperty(1)
  public private(set) var days: Int

  public init(name: String, days: Int) {
    self.name = name
    self.days = days
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _$modelState = PersistenceCore.ModelState()

  public nonisolated final var _$state: UnsafeMutablePointer<PersistenceCore.ModelState> {
    unsafe withUnsafeMutablePointer(to: &_$modelState) {
      $0
    }
  }

  public nonisolated class var schemaMetadata: [PersistenceCore.Schema.PropertyMetadata] {
    [
      PersistenceCore.Schema.PropertyMetadata(name: "name", keypath: \Trip.name, defaultValue: nil, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "days", keypath: \Trip.days, defaultValue: nil, metadata: nil)
    ]
  }

  required public nonisolated init(backingData: any PersistenceCore.BackingData<Trip>) {
    _name = .fault
    _days = .fault
    self._$adopt(backingData)
  }

  public nonisolated var persistentBackingData: any PersistenceCore.BackingData<Trip> {
    get {
      PersistenceCore.ModelBackingData(self)
    }
    set {
      _$adopt(newValue)
    }
  }

  required public nonisolated init(_$row row: inout PersistenceCore.RowReader) {
    row.beginModel()
    _name = row.slot(0)
    _days = row.slot(1)
  }

  public nonisolated class func _$make(_ row: inout PersistenceCore.RowReader) -> Self {
    PersistenceCore._$beginDecoding()
    return Self(_$row: &row)
  }

  public nonisolated func _$read(_ row: inout PersistenceCore.RowReader) {
    if row.refresh(_name, 0) {
      _$notify(\.name) {
        _name = row.slot(0)
      }
    }
    if row.refresh(_days, 1) {
      _$notify(\.days) {
        _days = row.slot(1)
      }
    }
  }

  public nonisolated func _$write(_ row: inout PersistenceCore.RowWriter) {
    row.write(_name, 0)
    row.write(_days, 1)
  }

  public nonisolated class func _$decode(_ rows: inout PersistenceCore.RowReader) throws {
    try rows.decodeAll(Trip.self)
  }

  public nonisolated class func _$encode(_ rows: inout PersistenceCore.RowWriter) throws {
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

  public struct _SwiftDataNoType {
  }
}

extension Trip: nonisolated PersistenceCore.Observable {
}

extension Trip: nonisolated PersistenceCore.PersistentModel {
}

@available(*, unavailable, message: "a model belongs to its context and cannot cross to another task or actor; send its persistentModelID and look the model up there")
extension Trip: Sendable {
}
