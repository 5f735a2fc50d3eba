
final class `Protocol` {
  @PersistenceCore._PersistedProperty(0)
  var `default`: Bool = false
  @PersistenceCore._PersistedProperty(1)
  var `in`: String
  let `class`: String

  init(in place: String, class name: String) {
    self.in = place
    self.class = name
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _$modelState = PersistenceCore.ModelState()

  nonisolated final var _$state: UnsafeMutablePointer<PersistenceCore.ModelState> {
    unsafe withUnsafeMutablePointer(to: &_$modelState) {
      $0
    }
  }

  nonisolated static var schemaMetadata: [PersistenceCore.Schema.PropertyMetadata] {
    [
      PersistenceCore.Schema.PropertyMetadata(name: "default", keypath: \`Protocol`.`default`, defaultValue: (false) as Bool, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "in", keypath: \`Protocol`.`in`, defaultValue: nil, metadata: nil),
      PersistenceCore.Schema.PropertyMetadata(name: "class", keypath: \`Protocol`.`class`, defaultValue: nil, metadata: nil)
    ]
  }

  nonisolated init(backingData: any PersistenceCore.BackingData<`Protocol`>) {
    _default = .fault
    _in = .fault
    self.`class` = backingData.getValue(forKey: \.`class`)
    self._$adopt(backingData)
  }

  nonisolated var persistentBackingData: any PersistenceCore.BackingData<`Protocol`> {
    get {
      PersistenceCore.ModelBackingData(self)
    }
    set {
      _$adopt(newValue)
    }
  }

  nonisolated init(_$row row: inout PersistenceCore.RowReader) {
    row.beginModel()
    _default = row.slot(0)
    _in = row.slot(1)
    self.`class` = row.constant(2)
  }

  nonisolated static func _$make(_ row: inout PersistenceCore.RowReader) -> Self {
    PersistenceCore._$beginDecoding()
    return Self(_$row: &row)
  }

  nonisolated func _$read(_ row: inout PersistenceCore.RowReader) {
    if row.refresh(_default, 0) {
      _$notify(\.`default`) {
        _default = row.slot(0)
      }
    }
    if row.refresh(_in, 1) {
      _$notify(\.`in`) {
        _in = row.slot(1)
      }
    }
    row.skip(self.`class`, 2)
  }

  nonisolated func _$write(_ row: inout PersistenceCore.RowWriter) {
    row.write(_default, 0)
    row.write(_in, 1)
    row.write(.value(self.`class`), 2)
  }

  nonisolated static func _$decode(_ rows: inout PersistenceCore.RowReader) throws {
    try rows.decodeAll(`Protocol`.self)
  }

  nonisolated static func _$encode(_ rows: inout PersistenceCore.RowWriter) throws {
    try rows.encodeAll(`Protocol`.self)
  }

  internal nonisolated func access<Member>(keyPath: KeyPath<`Protocol`, Member>) {
    _$access(keyPath)
  }

  internal nonisolated func withMutation<Member, MutationResult>(
    keyPath: KeyPath<`Protocol`, Member>, _ mutation: () throws -> MutationResult
  ) rethrows -> MutationResult {
    try _$withMutation(keyPath, mutation)
  }

  struct _SwiftDataNoType {
  }
}

extension `Protocol`: nonisolated PersistenceCore.Observable {
}

extension `Protocol`: nonisolated PersistenceCore.PersistentModel {
}

@available(*, unavailable, message: "a model belongs to its context and cannot cross to another task or actor; send its persistentModelID and look the model up there")
extension `Protocol`: Sendable {
}
