final class Trip {
  var `default`: Bool {
    @storageRestrictions(initializes: _default)
    init(initialValue) {
      _default = .value(initialValue)
    }
    get {
      _$access(\.`default`)
      if case .value(let value) = _default {
        return value
      }
      return _$resolve(0, slot: {
          self._default
        }, store: {
          self._default = .value($0)
        })
    }
    set {
      _$assign(newValue, at: 0, keyPath: \.`default`, slot: {
          self._default
        }, store: {
          self._default = .value($0)
        })
    }
    _modify {
      var value = self.`default`
      let change = _$willModify(0, keyPath: \.`default`, value)
      _default = .fault
      defer {
        _default = .value(value)
        _$didModify(change, keyPath: \.`default`, value)
      }
      yield &value
    }
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _default: PersistenceCore.Slot<Bool>
}
