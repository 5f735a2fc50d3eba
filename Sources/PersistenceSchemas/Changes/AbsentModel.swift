import Observation
import PersistenceRuntime

/// A placeholder model for an identifier whose entity is not in the container's schema. It has no row.
///
/// `model(for:)` returns it, because this function can neither throw nor return nil.
package final class AbsentModel: PersistentModel {
  package var persistentBackingData: any BackingData<AbsentModel>

  // The protocol requires a pointer that is valid while the model lives.
  package let _$state: UnsafeMutablePointer<ModelState>

  package init(backingData: any BackingData<AbsentModel>) {
    persistentBackingData = backingData
    _$state = .allocate(capacity: 1)
    _$state.initialize(to: ModelState())
  }

  deinit {
    _$state.deinitialize(count: 1)
    _$state.deallocate()
  }

  package static var schemaMetadata: [Schema.PropertyMetadata] { [] }

  // MARK: Members that other models get from generated code or backing data

  package static var _$isGenerated: Bool { false }

  package static var _$marksInitialRelationships: Bool { false }

  package func _$relate(_ edit: inout RelationshipSlotOperation, _ position: Int) {}

  package static func _$standIn() -> AbsentModel {
    AbsentModel(backingData: AbsentValues(for: AbsentModel.self))
  }

  package static func _$make(_ row: inout RowReader) -> AbsentModel {
    row.beginModel()
    return _$standIn()
  }

  package func _$read(_ row: inout RowReader) {}

  package func _$write(_ row: inout RowWriter) {}

  package static func _$decode(_ rows: inout RowReader) throws {
    try rows.decodeAll(AbsentModel.self)
  }

  package static func _$encode(_ rows: inout RowWriter) throws {
    try rows.encodeAll(AbsentModel.self)
  }
}

/// The backing data of an ``AbsentModel``, which has no properties.
private struct AbsentValues: KeyPathStorage {
  typealias Model = AbsentModel

  var persistentModelID: PersistentIdentifier?
  var metadata: Any { AbsentModel.schemaMetadata }

  init(for modelType: AbsentModel.Type) {}

  func value<Value>(at keyPath: KeyPath<AbsentModel, Value>) -> Value { Placeholder.value(of: .unnamed) }

  func set<Value>(_ value: Value, at keyPath: KeyPath<AbsentModel, Value>) {}
}
