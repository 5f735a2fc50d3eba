import PersistenceRuntime
import PersistenceSchemas

extension AbsentModel {
  /// Creates the stand-in for an identifier of an unknown type.
  convenience init(identifier: PersistentIdentifier) {
    self.init(backingData: KeyPathBackingData(for: AbsentModel.self))
    _$state.pointee.flags = .gone
  }
}
