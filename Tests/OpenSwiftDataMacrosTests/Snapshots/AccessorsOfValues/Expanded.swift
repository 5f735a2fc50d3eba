final class Trip {
  var name: String {
    @storageRestrictions(initializes: _name)
    init(initialValue) {
      _name = .value(initialValue)
    }
    get {
      _$access(\.name)
      if case .value(let value) = _name {
        return value
      }
      return _$resolve(3, slot: {
          self._name
        }, store: {
          self._name = .value($0)
        })
    }
    set {
      _$assign(newValue, at: 3, keyPath: \.name, slot: {
          self._name
        }, store: {
          self._name = .value($0)
        })
    }
    _modify {
      var value = self.name
      let change = _$willModify(3, keyPath: \.name, value)
      _name = .fault
      defer {
        _name = .value(value)
        _$didModify(change, keyPath: \.name, value)
      }
      yield &value
    }
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _name: PersistenceCore.Slot<String>
}
