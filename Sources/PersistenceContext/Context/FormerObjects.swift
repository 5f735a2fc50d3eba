// Objects of deleted rows whose keys belong to other rows now: other programs inserted those, or freed keys were given
// again. Look-ups by key and remote changes of the row no longer reach such objects.

import PersistenceRuntime

extension IdentityMap {
  /// Unregisters the objects of a former row, when the object of a new row with the same key is registered.
  ///
  /// Their pending changes stay pending; the save resolves the conflict.
  /// - Parameters:
  ///   - key: The key.
  ///   - successor: The object of the new row.
  ///   - ofOtherClasses: Whether to keep objects of the map's own class.
  func letGoOfFormer(at key: Int64, for successor: AnyObject, ofOtherClasses: Bool = false) {
    let root = rootMap
    // All are collected before the first is unregistered, because observers may run code.
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
      // A deleted object is unregistered already. One with pending changes must not be found by its key any more.
      guard !state.pointee.flags.contains(.gone) else { return }
      state.pointee.withdraw(Unmanaged.passUnretained(model).toOpaque())
    }
    // Opened by the object's own class, so that all of its properties are announced.
    letGo(own.entity.model(former))
  }
}
