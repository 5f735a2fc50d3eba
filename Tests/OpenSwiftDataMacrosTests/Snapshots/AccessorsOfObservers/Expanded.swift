final class Trip {
  var days: Int {
    willSet(next) { print(next) }
    didSet { print(oldValue) }
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
      if _$observing_days {
        _$assign(newValue, at: 0, keyPath: \.days, slot: {
            self._days
          }, store: {
            self._days = .value($0)
          })
        return
      }
      let oldValue = self.days
      _$observing_days = true
      defer {
        _$observing_days = false
      }
      do {
        let next = newValue
        func _$willSet() {
          print(next)
        }
        _$willSet()
      }
      _$assign(newValue, at: 0, keyPath: \.days, slot: {
          self._days
        }, store: {
          self._days = .value($0)
        })
      do {
        func _$didSet() {
          print(oldValue)
        }
        _$didSet()
      }
    }
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _days: PersistenceCore.Slot<Int> = PersistenceCore._$isDecoding() ? .fault : PersistenceCore.Slot<Int>.value(1)

  nonisolated(unsafe) private var _$observing_days = false
  var name: String {
    didSet { save() }
    @storageRestrictions(initializes: _name)
    init(initialValue) {
      _name = .value(initialValue)
    }

    get {
      _$access(\.name)
      if case .value(let value) = _name {
        return value
      }
      return _$resolve(1, slot: {
          self._name
        }, store: {
          self._name = .value($0)
        })
    }

    set {
      if _$observing_name {
        _$assign(newValue, at: 1, keyPath: \.name, slot: {
            self._name
          }, store: {
            self._name = .value($0)
          })
        return
      }

      _$observing_name = true
      defer {
        _$observing_name = false
      }

      _$assign(newValue, at: 1, keyPath: \.name, slot: {
          self._name
        }, store: {
          self._name = .value($0)
        })
      do {
        func _$didSet() {
          save()
        }
        _$didSet()
      }
    }
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _name: PersistenceCore.Slot<String>

  nonisolated(unsafe) private var _$observing_name = false
  var mood: Mood {
    didSet(before) { print(before) }
    @storageRestrictions(initializes: _mood)
    init(initialValue) {
      _mood = .value(initialValue)
    }

    get {
      _$access(\.mood)
      if case .value(let value) = _mood {
        return value
      }
      return _$resolve(2, slot: {
          self._mood
        }, store: {
          self._mood = .value($0)
        })
    }

    set {
      if _$observing_mood {
        _$assign(newValue, at: 2, keyPath: \.mood, slot: {
            self._mood
          }, store: {
            self._mood = .value($0)
          })
        return
      }
      let before = self.mood
      _$observing_mood = true
      defer {
        _$observing_mood = false
      }

      _$assign(newValue, at: 2, keyPath: \.mood, slot: {
          self._mood
        }, store: {
          self._mood = .value($0)
        })
      do {
        func _$didSet() {
          print(before)
        }
        _$didSet()
      }
    }
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _mood: PersistenceCore.Slot<Mood>

  nonisolated(unsafe) private var _$observing_mood = false
}
