import SwiftData

extension InterleavedRun {
  /// Checks that the identifier has the same hash as every equal identifier seen before, in any context.
  func note(_ identifier: PersistentIdentifier) {
    guard let known = identifiers[identifier] else {
      let equal = identifiers.keys.first { $0 == identifier }
      expect(equal == nil, "an identifier is not found although it is equal to one that is there")
      identifiers[identifier] = identifier.hashValue
      return
    }
    expect(known == identifier.hashValue, "an identifier hashes unlike an equal one")
  }

  func freshLines() throws -> [String] { try Participant.lines(ModelContext(container)) }

  /// Saves the participant's changes and lets its context apply the changes of others. Then checks that a fetch in this
  /// context and the objects that the run keeps have the same values as a fetch in a new context.
  func compare(_ participant: Participant) throws {
    count("compare")
    // The context saves its own changes first, so that the comparison only concerns changes that others have saved.
    if participant.context.hasChanges { try acknowledged(participant) { try participant.context.save() } }
    guard !participant.context.hasChanges else { return }
    for attempt in 0..<20 {
      let before = try freshLines()
      let seen = try participant.lines()
      let stored = try StoredGarage(file)
      let serials = Set(try stored.numbers(of: "Vehicle", "serial"))
      let owners = Set(try stored.numbers(of: "Owner", "number"))
      // If another process has saved since the first fetch, the comparison is tried again.
      guard try freshLines() == before else { continue }
      // Another process may have inserted and deleted a row between two reads of this context. The context was not
      // notified of either, so it still has the object of the row; the comparison is tried again.
      if seen != before, !isAlone, attempt < 10 { continue }
      let missing = before.filter { !seen.contains($0) }.prefix(3)
      let extra = seen.filter { !before.contains($0) }.prefix(3)
      expect(seen == before, "\(participant.name) lacks \(Array(missing)) and has \(Array(extra))")
      for object in participant.held { compare(object, serials: serials, owners: owners) }
      return
    }
  }

  private func compare(_ object: any PersistentModel, serials: Set<Int>, owners: Set<Int>) {
    guard object.modelContext != nil, !object.isDeleted else { return }
    if let vehicle = object as? Vehicle {
      expect(serials.contains(vehicle.serial), "vehicle \(vehicle.serial) is gone and does not say so")
    } else if let owner = object as? Owner {
      expect(owners.contains(owner.number), "owner \(owner.number) is gone and does not say so")
    }
  }

  /// Inserts, changes or deletes a row through a plain SQLite connection, as another program would.
  func writeForeignRows() throws {
    count("foreign")
    let stored = try StoredGarage(file)
    defer { trace("foreign rows: \((try? stored.values()) ?? [:])") }
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      let serial = number()
      try stored.run(
        "INSERT OR IGNORE INTO Owner (number, score) SELECT \(number(8)), 0 WHERE NOT EXISTS "
          + "(SELECT 1 FROM Owner WHERE number = \(serial))")
    case 1: try stored.run("UPDATE Vehicle SET value = value + 1 WHERE serial = \(number())")
    default: try stored.run("DELETE FROM Vehicle WHERE serial = \(number())")
    }
  }
}

extension SwiftDataError {
  /// Whether a save threw because two rows would have equal values in a unique attribute.
  var isOfUniqueness: Bool { description.contains("unique") }
}
