final class Trip {
  var note: String? {
    @storageRestrictions(initializes: _note)
    init(initialValue) {
      _note = .value(initialValue)
    }
    get {
      _$access(\.note)
      if case .value(let value) = _note {
        return value
      }
      return _$resolve(0, slot: {
          self._note
        }, store: {
          self._note = .value($0)
        })
    }
    set {
      _$assign(newValue, at: 0, keyPath: \.note, slot: {
          self._note
        }, store: {
          self._note = .value($0)
        })
    }
    _modify {
      var value = self.note
      let change = _$willModify(0, keyPath: \.note, value)
      _note = .fault
      defer {
        _note = .value(value)
        _$didModify(change, keyPath: \.note, value)
      }
      yield &value
    }
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _note: PersistenceCore.Slot<String?> = PersistenceCore._$isDecoding() ? .fault : PersistenceCore.Slot<String?>.value(nil)
  var owner: Person! {
    @storageRestrictions(initializes: _owner)
    init(initialValue) {
      _owner = .value(initialValue)
    }
    get {
      _$access(\.owner)
      if case .value(let value) = _owner {
        return value
      }
      return _$resolve(1, slot: {
          self._owner
        }, store: {
          self._owner = .value($0)
        })
    }
    set {
      _$assign(newValue, at: 1, keyPath: \.owner, slot: {
          self._owner
        }, store: {
          self._owner = .value($0)
        })
    }
    _modify {
      var value = self.owner
      let change = _$willModify(1, keyPath: \.owner, value)
      _owner = .fault
      defer {
        _owner = .value(value)
        _$didModify(change, keyPath: \.owner, value)
      }
      yield &value
    }
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _owner: PersistenceCore.Slot<Person?> = PersistenceCore._$isDecoding() ? .fault : PersistenceCore.Slot<Person?>.value(nil)
}
