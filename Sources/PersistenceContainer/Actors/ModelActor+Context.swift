// What a context learns of the model actor that uses it.

import PersistenceContext
import PersistenceRuntime

extension ModelContext {
  /// Learns what runs a model actor, whose executor may be one of the program's own.
  func noteExecutor(of actor: some ModelActor) {
    if let executor = actor.modelExecutor as? any SerialExecutor { noteExecutor(executor) }
  }
}

extension ChangeInbox {
  /// Notes that the context is used by a model actor. Called with every use, so the usual answer is quick.
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
  /// Brings the models of the actor's context up to date, and saves what is due.
  func receiveChanges() {
    modelExecutor.modelContext.beginReading()
  }
}
