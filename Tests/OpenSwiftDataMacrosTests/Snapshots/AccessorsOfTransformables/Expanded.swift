final class Trip {
  var route: Route {
    @storageRestrictions(initializes: _route)
    init(initialValue) {
      _route = .value(initialValue)
    }
    get {
      _$access(\.route)
      if case .value(let value) = _route {
        return value
      }
      return _$resolve(0, slot: {
          self._route
        }, store: {
          self._route = .value($0)
        })
    }
    set {
      _$assign(newValue, at: 0, keyPath: \.route, slot: {
          self._route
        }, store: {
          self._route = .value($0)
        })
    }
    _modify {
      var value = self.route
      let change = _$willModify(0, keyPath: \.route, value)
      _route = .fault
      defer {
        _route = .value(value)
        _$didModify(change, keyPath: \.route, value)
      }
      yield &value
    }
  }

  @exclusivity(unchecked) nonisolated(unsafe) private var _route: PersistenceCore.Slot<Route>
}
