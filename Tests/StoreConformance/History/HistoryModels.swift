import SwiftData

@Model
final class Voyage {
  @Attribute(.unique) var name: String
  @Attribute(.preserveValueOnDeletion) var title: String?
  @Attribute(.preserveValueOnDeletion) var number: Int
  var price: Double
  @Relationship(deleteRule: .cascade, inverse: \Leg.voyage) var legs: [Leg] = []
  @Relationship(inverse: \Guide.voyages) var guides: [Guide] = []

  init(_ name: String, title: String? = nil, number: Int = 0, price: Double = 0) {
    self.name = name
    self.title = title
    self.number = number
    self.price = price
  }
}

@Model
final class Leg {
  @Attribute(.preserveValueOnDeletion) var place: String
  var days: Int
  var voyage: Voyage?
  /// Two references to the same entity. Deleting the guide sets both to nil.
  var first: Guide?
  var second: Guide?

  init(_ place: String, days: Int = 1, voyage: Voyage? = nil) {
    self.place = place
    self.days = days
    self.voyage = voyage
  }
}

@Model
final class Guide {
  var name: String
  var voyages: [Voyage] = []

  init(_ name: String) { self.name = name }
}

/// The changes of a transaction as sorted texts. `+Voyage 1` is an insertion of the row with key 1, and `~Leg 2
/// place,voyage` is a change of two properties.
func words(_ transaction: DefaultHistoryTransaction) -> [String] {
  transaction.changes.map(words).sorted()
}

func words(_ change: HistoryChange) -> String {
  let identifier = change.changedPersistentIdentifier
  let name = "\(identifier.entityName) \(key(identifier))"
  switch change {
  case .insert: return "+\(name)"
  case .delete: return "-\(name)"
  case .update(let update): return "~\(name) \(properties(update).joined(separator: ","))"
  }
}

/// The primary key of the row that the identifier names, or "none".
func key(_ identifier: PersistentIdentifier) -> String { identifier.row.map { "\($0.key)" } ?? "none" }

/// The names of the properties that an update lists as changed.
func properties(_ update: any HistoryUpdate) -> [String] {
  func names<U: HistoryUpdate>(_ update: U) -> [String] {
    let metadata = U.Model.schemaMetadata
    return update.updatedAttributes.compactMap { path in
      metadata.first { $0.keypath == (path as AnyKeyPath) }?.name
    }.sorted()
  }
  return names(update)
}
