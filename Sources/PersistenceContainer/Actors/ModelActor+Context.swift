// How a context finds the executor of the model actor that uses it.

import PersistenceContext
import PersistenceRuntime

extension ModelContext {
  /// Remembers the executor of a model actor, which the program may have written itself.
  func noteExecutor(of actor: some ModelActor) {
    if let executor = actor.modelExecutor as? any SerialExecutor { noteExecutor(executor) }
  }
}

extension ChangeInbox {
  /// Notes that a model actor uses the context. Every use calls it, so the first check is one flag.
  func live(in actor: some ModelActor) {
    guard !isLive else { return }
    live { [weak actor] in
      guard let actor else { return false }
      Task { await actor.receiveChanges() }
      return true
    }
  }
}

extension ModelActor {
  /// Applies the changes of other contexts to the actor's context, and runs an autosave that is due.
  func receiveChanges() {
    modelExecutor.modelContext.beginReading()
  }
}
