import Foundation

extension ModelContext {
  /// Writes what has changed to the store, in one transaction: all of it, or on any failure nothing.
  ///
  /// ``willSave`` is posted before, and what its observers change is saved too; ``didSave`` after. A save that
  /// fails leaves the changes pending, so that they can be mended and saved again. Without changes nothing happens.
  ///
  /// - Throws: `SwiftDataError` that names the entity, the property and the reason.
  public func save() throws {
    try throwRefusals()
    undoRecorder?.endEvent()
    // An observer of the save that asks for one: the one that runs takes its changes along.
    guard !pending.isEmpty, !autosave.isSaving else { return }
    try runAutosavesLater {
      NotificationCenter.default.post(name: Self.willSave, object: self)
      compareLists()
      try throwRefusals()
      let changes = SavedChanges(collecting: self)
      try SaveValidation(changes, in: self).run()
      resolvedConflicts.removeAll()
      try changes.write(in: self)
      orphans.removeAll()
      NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: changes.userInfo)
    }
    catchUp()
  }

  /// Saves what is pending while the context goes. Nobody can be told any more, so a failure is logged.
  func saveOnClosing() {
    guard !pending.isEmpty else { return }
    do {
      compareLists()
      try throwRefusals()
      let changes = SavedChanges(collecting: self)
      // What a save would refuse is no more valid for being the last one.
      try SaveValidation(changes, in: self).run()
      // From here on the context is gone for everybody: user code that runs while values are encoded must not keep it.
      for map in identityMaps.values { map.closeContext() }
      try changes.write(in: self)
    } catch {
      logger.error("the autosave of a closing context failed, its changes are lost: \(error)")
    }
  }
}
