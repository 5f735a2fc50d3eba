import SwiftData

struct PalletSize: Codable, Equatable {
  var width: Double
  var height: Double
}

@Model
final class Depot {
  var name: String
  @Relationship(inverse: \Pallet.depot) var pallets: [Pallet] = []
  @Relationship(inverse: \Slip.depot) var slips: [Slip] = []

  init(_ name: String) {
    self.name = name
  }
}

/// A list member. Its reference to the depot is between a struct, which has several columns, and a constant and a value
/// in an external file.
@Model
final class Pallet {
  var number: Int
  var size: PalletSize
  var depot: Depot?
  let label: String
  @Attribute(.externalStorage) var picture: Data
  var note: String?

  init(_ number: Int, _ depot: Depot) {
    self.number = number
    size = PalletSize(width: Double(number), height: 2)
    self.depot = depot
    label = "label \(number)"
    picture = Data([UInt8(number)])
    note = number % 2 == 0 ? nil : "note"
  }
}

/// A list member with hand-written conformance.
final class Slip: PersistentModel {
  var persistentBackingData: any BackingData<Slip>

  init(backingData: any BackingData<Slip>) {
    persistentBackingData = backingData
  }

  init(_ text: String, _ depot: Depot) {
    persistentBackingData = Slip.createBackingData()
    self.text = text
    self.depot = depot
  }

  var text: String {
    get { getValue(forKey: \.text) }
    set { setValue(forKey: \.text, to: newValue) }
  }

  var depot: Depot? {
    get { getValue(forKey: \.depot) }
    set { setValue(forKey: \.depot, to: newValue) }
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(name: "text", keypath: \Slip.text, defaultValue: nil, metadata: nil),
      Schema.PropertyMetadata(name: "depot", keypath: \Slip.depot, defaultValue: nil, metadata: nil),
    ]
  }
}
