import Foundation
import SwiftData

// MARK: 1 Macros

// use: @Model()
@Model
final class Place {
  init() {}
}

// use: @ModelActor()
@ModelActor
actor Importer {}

@Model
final class Member {
  // use: @Attribute(_:originalName:hashModifier:)
  @Attribute(.unique, .preserveValueOnDeletion, originalName: "nick", hashModifier: "2") var name: String

  // use: @Relationship(_:deleteRule:minimumModelCount:maximumModelCount:originalName:inverse:hashModifier:)
  @Relationship(
    .unique, deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 3, originalName: "friends",
    inverse: \Member.sponsor, hashModifier: "2")
  var guests: [Member]

  var sponsor: Member?

  // use: @Transient()
  @Transient var isSelected = false

  // use: #Unique(_:)
  #Unique<Member>([\.name], [\.name, \.age])

  // use: #Index(_:) of key paths
  #Index<Member>([\.name], [\.age, \.name])

  var age: Int

  init(name: String, age: Int) {
    self.name = name
    self.age = age
    self.guests = []
  }
}

@Model
final class Pin {
  // use: #Index(_:) of kinds
  #Index<Pin>(.binary([\.latitude]), .rtree([\.latitude, \.longitude]))

  var latitude: Double
  var longitude: Double

  init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

@Model
final class Expanded {
  // use: @_PersistedProperty()
  @_PersistedProperty
  var title: String = ""

  // use: @_TransformablePersistedProperty()
  @Attribute(.transformable(by: "Colors"))
  @_TransformablePersistedProperty
  var color: String = ""

  init() {}
}

// MARK: 2 Members that macros generate

func generated(_ trip: Trip, _ data: any BackingData<Trip>) throws {
  let _: any PersistentModel.Type = Trip.self  // use: @Model: PersistentModel
  let _: any Observable.Type = Trip.self  // use: @Model: Observable
  let _: any BackingData<Trip> = trip.persistentBackingData  // use: @Model persistentBackingData
  let _: [Schema.PropertyMetadata] = Trip.schemaMetadata  // use: @Model schemaMetadata
  let _: Trip = Trip.init(backingData: data)  // use: @Model init(backingData:)
  trip.access(keyPath: \.name)  // use: @Model access(keyPath:)
  let _: Int = try trip.withMutation(keyPath: \.name) { 1 }  // use: @Model withMutation(keyPath:_:)
}

func generated(_ actor: Importer, _ container: ModelContainer) {
  let _: any ModelActor.Type = Importer.self  // use: @ModelActor: ModelActor
  let _: any ModelExecutor = actor.modelExecutor  // use: @ModelActor modelExecutor
  let _: ModelContainer = actor.modelContainer  // use: @ModelActor modelContainer
  let _: Importer = Importer.init(modelContainer: container)  // use: @ModelActor init(modelContainer:)
}

// use: @Model class schemaMetadata
@Model
final class Tour: Trip {
  var city: String = ""
  override init(name: String, days: Int, owner: Guide) {
    super.init(name: name, days: days, owner: owner)
  }
}
func metadata(of type: Trip.Type) -> [Schema.PropertyMetadata] { type.schemaMetadata }

// use: @Model _$backingData
// use: @Model _SwiftDataNoType
@Model
final class Bookmark {
  private(set) var id: String
  var number: Int {
    @storageRestrictions(accesses: _$backingData, initializes: _id)
    init(initialValue) {
      _$backingData.setValue(forKey: \.id, to: String(initialValue))
      _id = _SwiftDataNoType()
    }
    get { Int(id) ?? 0 }
    set { id = String(newValue) }
  }
  init(number: Int) {
    self.number = number
  }
}

// use: @Model _$observationRegistrar
@Model
final class Observed {
  var text: String
  @Transient private var cache: String = ""
  var shown: String {
    get {
      _$observationRegistrar.access(self, keyPath: \.shown)
      return cache
    }
    set {
      _$observationRegistrar.withMutation(of: self, keyPath: \.shown) { cache = newValue }
    }
  }
  init(text: String) {
    self.text = text
  }
}
