import SwiftData

/// A model with a name that identifies an object in its class. No program changes the names.
protocol Named: PersistentModel {
  var name: String { get }
}

/// A model with an R-tree. Deleting a room does not delete its exhibits.
@Model final class Room: Named {
  #Index<Room>(.rtree([\.x, \.y]), .binary([\.floor, \.name]))
  @Attribute(.unique) var name: String
  var floor: Int
  var x: Double
  var y: Double?
  @Relationship(deleteRule: .nullify, inverse: \Exhibit.room) var exhibits: [Exhibit] = []

  init(_ name: String, floor: Int, x: Double, y: Double?) {
    (self.name, self.floor, self.x, self.y) = (name, floor, x, y)
  }
}

/// A model whose deletion also deletes its works. Each work requires a maker.
@Model final class Maker: Named {
  @Attribute(.unique) var name: String
  var born: Date?
  @Relationship(deleteRule: .cascade, inverse: \Exhibit.maker) var works: [Exhibit] = []
  @Relationship(inverse: \Maker.pupils) var teachers: [Maker] = []
  var pupils: [Maker] = []

  init(_ name: String) { self.name = name }
}

@Model final class Topic: Named {
  var name: String
  var exhibits: [Exhibit] = []
  init(_ name: String) { self.name = name }
}

/// A model with a one-to-one relationship.
@Model final class Label: Named {
  var name: String
  var exhibit: Exhibit?
  init(_ name: String) { self.name = name }
}

@Model final class Loan: Named {
  var name: String
  var from: Date
  var exhibit: Exhibit
  @Relationship(deleteRule: .deny, inverse: \Pledge.loan) var pledges: [Pledge] = []

  init(_ name: String, of exhibit: Exhibit) {
    (self.name, self.exhibit) = (name, exhibit)
    from = Date(timeIntervalSinceReferenceDate: 800_000_000.25)
  }
}

/// A model that prevents the deletion of its loan (delete rule `deny`).
@Model final class Pledge: Named {
  var name: String
  @Attribute(.unique) var amount: Decimal
  var loan: Loan?

  init(_ name: String, _ amount: Decimal) { (self.name, self.amount) = (name, amount) }
}

/// A tree of folders, whose lists of children are ordered.
@Model final class Folder: Named {
  var name: String
  var parent: Folder?
  @Relationship(deleteRule: .cascade, inverse: \Folder.parent) var folders: [Folder] = []
  @Relationship(inverse: \Folder.previous) var next: Folder?
  var previous: Folder?

  init(_ name: String) { self.name = name }
}

#if Encryption
  /// A model with encrypted values. Other programs cannot read them, but keep them when they change other columns of
  /// the row.
  @Model final class Secret: Named {
    var name: String
    @Attribute(.encrypt) var text: String
    @Attribute(.encrypt) var number: Int
    @Attribute(.encrypt, .externalStorage) var picture: Data?

    init(_ name: String, _ text: String, _ number: Int) { (self.name, self.text, self.number) = (name, text, number) }
  }
#endif

enum Museum {
  static var models: [any PersistentModel.Type] {
    [
      Exhibit.self, Painting.self, Fresco.self, Sculpture.self, Room.self, Maker.self, Topic.self, Label.self,
      Loan.self, Pledge.self, Folder.self,
    ] + secrets
  }

  #if Encryption
    private static let secrets: [any PersistentModel.Type] = [Secret.self]
  #else
    private static let secrets: [any PersistentModel.Type] = []
  #endif
}
