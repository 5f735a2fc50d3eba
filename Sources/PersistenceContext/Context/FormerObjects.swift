// Objects of rows that are gone, at whose keys there are other rows: those that other programs put there, or new ones
// that took keys which other programs had given and freed again. Lookups by key and news of the row no longer reach
// the objects.

import PersistenceRuntime

extension IdentityMap {
  /// Lets go of what stood for the row of a key, now that another row has come there, for which another object stands.
  ///
  /// What waits to be saved of it still waits, and its save says what happened.
  /// - Parameter ofOtherClasses: Whether objects of the map's own class stand for the row that is there now.
  func letGoOfFormer(at key: Int64, for successor: AnyObject, ofOtherClasses: Bool = false) {
    let root = rootMap
    // All are found before the first is told, which may run code of observers.
    var former = root.seconds.isEmpty ? [] : root.secondObjects(ofRow: key)
    if let registered = root.object(ofRow: key) { former.append(root.entity.model(registered)) }
    for model in former where model !== successor {
      let own = model._$state.pointee.identityMap ?? root
      if !ofOtherClasses || own !== self { letGo(of: model, in: own) }
    }
  }

  private func letGo(of former: any PersistentModel, in own: IdentityMap) {
    func letGo<T: PersistentModel>(_ model: T) {
      let state = model._$state
      context?.didTouch(model, in: own)
      if state.pointee.dirty != 0 { own.changes?.originals.contest(state.pointee.primaryKey) }
      model._$noteGone(in: own)
      // What is gone is let go with the context; what still waits is not to be found any more.
      guard !state.pointee.flags.contains(.gone) else { return }
      state.pointee.withdraw(Unmanaged.passUnretained(model).toOpaque())
    }
    // By its own class, whose properties are announced.
    letGo(own.entity.model(former))
  }
}
