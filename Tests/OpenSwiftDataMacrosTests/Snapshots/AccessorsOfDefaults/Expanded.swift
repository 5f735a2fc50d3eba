final class Trip {
  var days {
    @storageRestrictions(initializes: _days)
    init(initialValue) {
      _days = .value(initialValue)
    }
    get {
      _$access(\.days)
      if case .value(let value) = _days {
        return value
      }
      return _$resolve(0, slot: {
          self._days
        }, store: {
          self._days = .value($0)
        })
    }
    set {
      _$assign(newValue, at: 0, keyPath: \.days, slot: {
          self._days
        }, store: {
          self._days = .value($0)
        })
    }
    _modify {
      var value = self.days
      let change = _$willModify(0, keyPath: \.days, value)
      _days = .fault
      defer {
        _days = .value(value)
        _$didModify(change, keyPath: \.days, value)
      }
      yield &value
    }
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _days = PersistenceCore._$isDecoding() ? .fault : PersistenceCore.Slot.value(1)
  var mood: Mood {
    @storageRestrictions(initializes: _mood)
    init(initialValue) {
      _mood = .value(initialValue)
    }
    get {
      _$access(\.mood)
      if case .value(let value) = _mood {
        return value
      }
      return _$resolve(1, slot: {
          self._mood
        }, store: {
          self._mood = .value($0)
        })
    }
    set {
      _$assign(newValue, at: 1, keyPath: \.mood, slot: {
          self._mood
        }, store: {
          self._mood = .value($0)
        })
    }
    _modify {
      var value = self.mood
      let change = _$willModify(1, keyPath: \.mood, value)
      _mood = .fault
      defer {
        _mood = .value(value)
        _$didModify(change, keyPath: \.mood, value)
      }
      yield &value
    }
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _mood: PersistenceCore.Slot<Mood> = PersistenceCore._$isDecoding() ? .fault : PersistenceCore.Slot<Mood>.value(.calm)
}
