import SwiftData

/// One context of a run, and the objects of this context to which the run keeps references.
final class Participant {
  let name: String
  let context: ModelContext
  var held: [any PersistentModel] = []
  /// A function that runs when the context has saved; nil for none.
  var whenSaved: (() -> Void)?
  /// A function that runs when the context has saved by itself, as an autosave.
  var whenAutosaved: (() -> Void)?
  /// Whether the run itself is saving the context. A save at another time is an autosave.
  var isSaving = false
  private var observer: (any NSObjectProtocol)?

  init(_ name: String, _ container: ModelContainer, autosaves: Bool, clock: SteppedClock) {
    self.name = name
    context = ModelContext(container)
    context.autosaveClock = clock
    context.autosaveEnabled = autosaves
    nonisolated(unsafe) weak let participant = self
    // The context posts the notification during the save, on the thread that saves.
    observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { _ in
      if participant?.isSaving == false { participant?.whenAutosaved?() }
      participant?.whenSaved?()
    }
  }

  deinit { observer.map { NotificationCenter.default.removeObserver($0) } }

  var vehicles: [Vehicle] { held.compactMap { $0 as? Vehicle }.filter { !$0.isDeleted && $0.modelContext != nil } }
  var owners: [Owner] { held.compactMap { $0 as? Owner }.filter { !$0.isDeleted && $0.modelContext != nil } }

  /// The content of the context as comparable lines.
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
