import SwiftData

/// One of the contexts of a run, with the objects that its code holds.
final class Participant {
  let name: String
  let context: ModelContext
  var held: [any PersistentModel] = []
  /// What observers of the context's saves do; nil for nothing.
  var whenSaved: (() -> Void)?
  /// What is done when the context has saved by itself.
  var whenAutosaved: (() -> Void)?
  /// Whether code asks the context to save.
  var isSaving = false
  private var observer: (any NSObjectProtocol)?

  init(_ name: String, _ container: ModelContainer, autosaves: Bool, clock: SteppedClock) {
    self.name = name
    context = ModelContext(container)
    context.autosaveClock = clock
    context.autosaveEnabled = autosaves
    nonisolated(unsafe) weak let participant = self
    // Posted in the code that saves, which is this thread.
    observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { _ in
      if participant?.isSaving == false { participant?.whenAutosaved?() }
      participant?.whenSaved?()
    }
  }

  deinit { observer.map { NotificationCenter.default.removeObserver($0) } }

  var vehicles: [Vehicle] { held.compactMap { $0 as? Vehicle }.filter { !$0.isDeleted && $0.modelContext != nil } }
  var owners: [Owner] { held.compactMap { $0 as? Owner }.filter { !$0.isDeleted && $0.modelContext != nil } }

  /// Everything that the context sees, in lines that can be compared.
  func lines() throws -> [String] { try Self.lines(context) }

  static func lines(_ context: ModelContext) throws -> [String] {
    let vehicles = try context.fetch(FetchDescriptor<Vehicle>()).map { vehicle in
      "\(type(of: vehicle)) \(vehicle.serial) \(vehicle.value) of \(vehicle.owner.map { "\($0.number)" } ?? "nobody")"
    }
    let owners = try context.fetch(FetchDescriptor<Owner>()).map { owner in
      "Owner \(owner.number) \(owner.score) with \(owner.vehicles.map(\.serial).sorted())"
    }
    return (vehicles + owners).sorted()
  }
}
