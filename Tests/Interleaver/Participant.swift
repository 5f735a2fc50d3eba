import SwiftData

/// One context of a run, with the objects that code holds.
final class Participant {
  let name: String
  let context: ModelContext
  var held: [any PersistentModel] = []
  /// The action of the observer of the context's saves; nil for none.
  var whenSaved: (() -> Void)?
  /// The action after an autosave of the context.
  var whenAutosaved: (() -> Void)?
  /// Whether a save was requested by code, so that it is not an autosave.
  var isSaving = false
  private var observer: (any NSObjectProtocol)?

  init(_ name: String, _ container: ModelContainer, autosaves: Bool, clock: SteppedClock) {
    self.name = name
    context = ModelContext(container)
    context.autosaveClock = clock
    context.autosaveEnabled = autosaves
    nonisolated(unsafe) weak let participant = self
    // The code that saves posts the notification, on this thread.
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
