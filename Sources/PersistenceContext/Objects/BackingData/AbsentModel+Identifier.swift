import PersistenceRuntime

extension AbsentModel {
  /// Makes what stands for the model of an identifier.
  convenience init(identifier: PersistentIdentifier) {
    self.init(backingData: KeyPathBackingData(for: AbsentModel.self))
    _$state.pointee.flags = .gone
  }
}
