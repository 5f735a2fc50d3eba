import Observation

/// What stands for a model of an entity that the container does not have.
///
/// `model(for:)` cannot throw and cannot be nil, and an identifier may come from anywhere.
final class AbsentModel: PersistentModel {
  var persistentBackingData: any BackingData<AbsentModel>

  init(backingData: any BackingData<AbsentModel>) {
    persistentBackingData = backingData
  }

  convenience init(identifier: PersistentIdentifier) {
    self.init(backingData: KeyPathBackingData(for: AbsentModel.self))
    _$state.pointee.flags = .gone
  }

  static var schemaMetadata: [Schema.PropertyMetadata] { [] }
}
