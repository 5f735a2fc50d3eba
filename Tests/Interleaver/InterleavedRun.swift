import SeededNumbers
import SwiftData

/// Runs random operations in several contexts in turn. Observers, another program and other processes also change the
/// store. After each operation, the run checks rules that hold for every order of operations.
///
/// Serial numbers are divided among the processes: a process changes only rows whose serial number belongs to it.
final class InterleavedRun {
  let file: URL
  let process: Int
  /// Whether this process is the only one that uses the store.
  let isAlone: Bool
  var generator: SeededGenerator
  var container: ModelContainer
  var participants: [Participant] = []
  private let clock = SteppedClock()
  /// For each identifier, the hash that it had when it was first seen. Equal identifiers share one entry.
  var identifiers: [PersistentIdentifier: Int] = [:]
  private(set) var counts: [String: Int] = [:]
  var step = ""
  let report: (String) -> Void
  private let isTracing = ProcessInfo.processInfo.environment["OSD_TRACE"] != nil

  init(_ file: URL, process: Int, isAlone: Bool, seed: UInt64, report: @escaping (String) -> Void) throws {
    (self.file, self.process, self.isAlone, self.report) = (file, process, isAlone, report)
    // The seed and the number of the process determine its random sequence.
    generator = SeededGenerator(seed: seed ^ UInt64(process) << 40)
    container = try Garage.container(file)
    participants = makeParticipants()
  }

  private func makeParticipants() -> [Participant] {
    ["first", "second", "autosaving"].map { name in
      let participant = Participant(name, container, autosaves: name == "autosaving", clock: clock)
      participant.whenAutosaved = { [weak self] in self?.count("autosave") }
      return participant
    }
  }

  func chance(_ divisor: Int) -> Bool { Int.random(in: 0..<divisor, using: &generator) == 0 }

  /// A random serial number that belongs to this process.
  func number(_ limit: Int = 30) -> Int { process * 1000 + Int.random(in: 0..<limit, using: &generator) }

  func count(_ what: String) { counts[what, default: 0] += 1 }

  /// Prints an operation if tracing is on, so that a developer can find the cause of a failure.
  func trace(_ words: @autoclosure () -> String) {
    if isTracing { say("\(step): \(words())") }
  }

  func expect(_ condition: Bool, _ words: @autoclosure () -> String) {
    if !condition { report("\(words()), in \(step)") }
  }

  // MARK: Steps

  func doSomething(_ number: Int) {
    let participant = participants[Int.random(in: 0..<participants.count, using: &generator)]
    let choice = Int.random(in: 0..<100, using: &generator)
    step = "step \(number) (\(choice)) of \(participant.name)"
    clock.step()
    do {
      switch choice {
      case 0..<22: insert(in: participant)
      case 22..<44: edit(in: participant)
      case 44..<50: delete(in: participant)
      case 50..<64: try save(participant)
      case 64..<67: try rollback(participant)
      case 67..<73: try transaction(in: participant)
      case 73..<83: try compare(participant)
      case 83..<88: try hold(in: participant)
      case 88..<93: try writeForeignRows()
      case 93..<95: try deleteBatch(in: participant)
      case 95..<97: forget(participant)
      case 97..<98: try renew()
      default: try observe(participant)
      }
    } catch {
      report("\(error), in \(step)")
    }
  }

  private func insert(in participant: Participant) {
    count("insert")
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: add(Owner(number(8)), to: participant)
    case 1: add(Vehicle(number(), value: number()), to: participant)
    case 2: add(Car(number(), value: number()), to: participant)
    default: add(Truck(number(), value: number()), to: participant)
    }
  }

  private func add<Model: PersistentModel>(_ model: Model, to participant: Participant) {
    participant.context.insert(model)
    trace("insert \(words(model))")
    if chance(2) { note(model.persistentModelID) }
    participant.held.append(model)
    if chance(2), let owner = participant.owners.randomElement(using: &generator) {
      (model as? Vehicle)?.owner = owner
      trace("owner \(owner.number) of it")
    }
  }

  private func edit(in participant: Participant) {
    count("edit")
    if chance(3), let owner = participant.owners.randomElement(using: &generator) {
      owner.score += 1
      let vehicle = chance(2) ? participant.vehicles.randomElement(using: &generator) : nil
      if let vehicle { owner.vehicles.append(vehicle) }
      trace("score of \(owner.number), vehicle \(vehicle.map(words) ?? "none")")
    }
    guard let vehicle = participant.vehicles.randomElement(using: &generator) else { return }
    vehicle.value = number(1000)
    trace("value of \(words(vehicle))")
    if chance(4) { vehicle.owner = chance(3) ? nil : participant.owners.randomElement(using: &generator) }
  }

  private func delete(in participant: Participant) {
    count("delete")
    if chance(4), let owner = participant.owners.randomElement(using: &generator) {
      trace("delete \(words(owner)) with \(owner.vehicles.map(\.serial))")
      participant.context.delete(owner)
    } else if let vehicle = participant.vehicles.randomElement(using: &generator) {
      trace("delete \(words(vehicle))")
      participant.context.delete(vehicle)
    }
  }

  private func deleteBatch(in participant: Participant) throws {
    count("batch")
    let serial = number()
    trace("batch deletion of \(serial)")
    try participant.context.delete(model: Vehicle.self, where: #Predicate { $0.serial == serial })
  }

  func words(_ model: any PersistentModel) -> String {
    let name = (model as? Vehicle).map { "\($0.serial) value \($0.value)" } ?? "\((model as? Owner)?.number ?? -1)"
    return "\(type(of: model)) \(name) \(UInt(bitPattern: ObjectIdentifier(model).hashValue) % 10_000)"
  }

  private func hold(in participant: Participant) throws {
    let (serial, start, end) = (number(), process * 1000, (process + 1) * 1000)
    // Rows of other processes are not kept, because those processes may change them before they are compared with the
    // store.
    let found = try participant.context.fetch(
      FetchDescriptor<Vehicle>(predicate: #Predicate { $0.serial >= serial && $0.serial < end }))
    participant.held.append(contentsOf: found.prefix(4).map { $0 as any PersistentModel })
    let owners = try participant.context.fetch(
      FetchDescriptor<Owner>(predicate: #Predicate { $0.number >= start && $0.number < end }))
    participant.held.append(contentsOf: owners.prefix(3).map { $0 as any PersistentModel })
    for vehicle in found { note(vehicle.persistentModelID) }
  }

  private func forget(_ participant: Participant) {
    if !participant.context.hasChanges { participant.held = [] }
  }

  /// Replaces the container and the contexts. The objects that the run keeps stay alive in their old contexts.
  private func renew() throws {
    count("renew")
    trace("renew")
    for participant in participants where !participant.context.autosaveEnabled { participant.context.rollback() }
    let old = participants
    participants = []
    container = try Garage.container(file)
    participants = makeParticipants()
    for participant in old { for vehicle in participant.vehicles { _ = vehicle.value } }
  }

  private func rollback(_ participant: Participant) throws {
    count("rollback")
    trace("rollback")
    participant.context.rollback()
    expect(!participant.context.hasChanges, "a rollback leaves changes")
    try compare(participant)
  }

  // MARK: Saving

  private func save(_ participant: Participant) throws {
    count("save")
    try acknowledged(participant) { try participant.context.save() }
  }

  /// Runs a block that saves, and checks that the store then contains the values of the saved objects.
  ///
  /// - Parameter isLast: Whether no other code, such as an observer, saves between the block's save and the check.
  func acknowledged(_ participant: Participant, isLast: Bool = true, _ body: () throws -> Void) throws {
    let before = isAlone ? try freshLines() : []
    let pending = participant.vehicles.filter(\.hasChanges)
    trace("save with \(pending.map(words))")
    let wasSaving = participant.isSaving
    participant.isSaving = true
    defer { participant.isSaving = wasSaving }
    do {
      try body()
    } catch let error as SwiftDataError where error == .modelValidationFailure || error.isOfUniqueness {
      count("refused")
      trace("refused: \(error)")
      if isAlone { expect(try freshLines() == before, "a save that threw has changed the store") }
      participant.context.rollback()
      return
    }
    expect(!participant.context.hasChanges, "changes are left after a save")
    guard isLast else { return }
    let stored = try StoredGarage(file).values()
    for vehicle in pending where !vehicle.isDeleted {
      // Several new objects with the same serial number are saved to one row. It contains the values of the last
      // object, and all these objects have these values after the save.
      let value = stored[vehicle.serial].map { "\($0)" } ?? "gone"
      expect(value == "\(vehicle.value)", "vehicle \(vehicle.serial) was saved as \(vehicle.value) and is \(value)")
      note(vehicle.persistentModelID)
    }
  }

  private func transaction(in participant: Participant) throws {
    count("transaction")
    struct GivenUp: Error {}
    let (throwing, saves) = (chance(2), Int.random(in: 0..<3, using: &generator))
    let before = isAlone ? try freshLines() : []
    do {
      try acknowledged(participant) {
        try participant.context.transaction {
          for _ in 0...saves {
            insert(in: participant)
            edit(in: participant)
            if chance(2) { try participant.context.save() }
          }
          trace("the block ends, throwing: \(throwing)")
          if throwing { throw GivenUp() }
        }
      }
    } catch is GivenUp {
      if isAlone { expect(try freshLines() == before, "a transaction that threw has changed the store") }
    }
  }

  /// Registers an observer that runs once, at the participant's next save: it changes and saves models in this context
  /// or another one.
  private func observe(_ participant: Participant) throws {
    count("observe")
    let other = participants[Int.random(in: 0..<participants.count, using: &generator)]
    var problem: (any Error)?
    participant.whenSaved = { [self] in
      participant.whenSaved = nil
      count("observed")
      trace("observer edits in \(other.name)")
      edit(in: other)
      insert(in: other)
      do { try acknowledged(other) { try other.context.save() } } catch { problem = error }
    }
    edit(in: participant)
    try acknowledged(participant, isLast: false) { try participant.context.save() }
    participant.whenSaved = nil
    if let problem { throw problem }
  }
}
