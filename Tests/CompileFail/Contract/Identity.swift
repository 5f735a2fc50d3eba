import Foundation
import SwiftData

// MARK: 3.1 PersistentModel

// use: PersistentModel
// use: PersistentModel.init(backingData:)
// use: PersistentModel.persistentBackingData
// use: PersistentModel.schemaMetadata
final class HandWritten: PersistentModel {
  var persistentBackingData: any BackingData<HandWritten>
  init(backingData: any BackingData<HandWritten>) { persistentBackingData = backingData }
  static var schemaMetadata: [Schema.PropertyMetadata] {
    [Schema.PropertyMetadata(name: "title", keypath: \HandWritten.title, defaultValue: "")]
  }
  var title: String {
    get { getValue(forKey: \.title) }
    set { setValue(forKey: \.title, to: newValue) }
  }
}

func model<T: PersistentModel>(_ type: T.Type, _ model: T) {
  let _: any AnyObject.Type = T.self  // use: PersistentModel: AnyObject
  let _: any Observable.Type = T.self  // use: PersistentModel: Observable
  let _: any Hashable.Type = T.self  // use: PersistentModel: Hashable
  let _: any Identifiable.Type = T.self  // use: PersistentModel: Identifiable
  let _: any SendableMetatype.Type = T.self  // use: PersistentModel: SendableMetatype
  let _: any PersistentModel.Type = T.Root.self  // use: PersistentModel.Root
  let _: ModelContext? = model.modelContext  // use: PersistentModel.modelContext
  let _: PersistentIdentifier = model.persistentModelID  // use: PersistentModel.persistentModelID
  let _: Bool = model == model  // use: PersistentModel.==(_:_:)
  let _: Bool = model.hasChanges  // use: PersistentModel.hasChanges
  let _: Bool = model.isDeleted  // use: PersistentModel.isDeleted
}

func identity(_ trip: Trip, _ hasher: inout Hasher) {
  let _: PersistentIdentifier = trip.id  // use: PersistentModel.id
  trip.hash(into: &hasher)  // use: PersistentModel.hash(into:)
}

// use: PersistentModel.createBackingData()
func newBackingData() -> any BackingData<Trip> { Trip.createBackingData() }

extension Trip {
  func read() {
    let _: String = getValue(forKey: \.name)  // use: PersistentModel.getValue(forKey:) of a value
    let _: Guide = getValue(forKey: \.owner)  // use: PersistentModel.getValue(forKey:) of a model
    let _: Guide? = getValue(forKey: \.guide)  // use: PersistentModel.getValue(forKey:) of an optional model
    let _: [Stop] = getValue(forKey: \.stops)  // use: PersistentModel.getValue(forKey:) of models
    let _: [Stop]? = getValue(forKey: \.notes)  // use: PersistentModel.getValue(forKey:) of optional models
    let _: Date? = getTransformableValue(forKey: \.start)  // use: PersistentModel.getTransformableValue(forKey:)
  }

  func write(_ owner: Guide, _ guide: Guide?, _ stops: [Stop]) {
    setValue(forKey: \.name, to: "")  // use: PersistentModel.setValue(forKey:to:) of a value
    setValue(forKey: \.owner, to: owner)  // use: PersistentModel.setValue(forKey:to:) of a model
    setValue(forKey: \.guide, to: guide)  // use: PersistentModel.setValue(forKey:to:) of an optional model
    setValue(forKey: \.stops, to: stops)  // use: PersistentModel.setValue(forKey:to:) of models
    setValue(forKey: \.notes, to: stops)  // use: PersistentModel.setValue(forKey:to:) of optional models
    setTransformableValue(forKey: \.start, to: nil)  // use: PersistentModel.setTransformableValue(forKey:to:)
  }
}

// Relationships whose collection is Codable have overloads of their own.
func coded<M: PersistentModel & Codable, C: RelationshipCollection & Codable>(
  _ model: M, _ keyPath: KeyPath<M, C>, _ value: C
) {
  let _: C = model.getValue(forKey: keyPath)  // use: PersistentModel.getValue(forKey:) of Codable models
  model.setValue(forKey: keyPath, to: value)  // use: PersistentModel.setValue(forKey:to:) of Codable models
}

// MARK: 3.2 RelationshipCollection

func collections<C: RelationshipCollection>(_ type: C.Type) {
  let _: any RelationshipCollection.Type = C.self  // use: RelationshipCollection
  let _: any PersistentModel.Type = C.PersistentElement.self  // use: RelationshipCollection.PersistentElement
  let _: any RelationshipCollection.Type = Array<Trip>.self  // use: Array: RelationshipCollection
  let _: Trip.Type = Array<Trip>.PersistentElement.self  // use: Array.PersistentElement
  let _: any RelationshipCollection.Type = Optional<[Trip]>.self  // use: Optional: RelationshipCollection
  let _: Trip.Type = Optional<[Trip]>.PersistentElement.self  // use: Optional.PersistentElement
}

// MARK: 3.3 BackingData

func backing<D: BackingData>(_ data: inout D, _ owner: Guide, _ stops: [Stop]) where D.Model == Trip {
  let _: any BackingData<Trip> = data  // use: BackingData
  let _: Trip.Type = D.Model.self  // use: BackingData.Model
  let _: D = D.init(for: Trip.self)  // use: BackingData.init(for:)
  let _: PersistentIdentifier? = data.persistentModelID  // use: BackingData.persistentModelID
  data.persistentModelID = nil  // use: BackingData.persistentModelID { set }
  let _: Any = data.metadata  // use: BackingData.metadata
  let _: String = data.getValue(forKey: \.name)  // use: BackingData.getValue(forKey:) of a value
  let _: Guide = data.getValue(forKey: \.owner)  // use: BackingData.getValue(forKey:) of a model
  let _: Guide? = data.getValue(forKey: \.guide)  // use: BackingData.getValue(forKey:) of an optional model
  let _: [Stop] = data.getValue(forKey: \.stops)  // use: BackingData.getValue(forKey:) of models
  let _: Date? = data.getTransformableValue(forKey: \.start)  // use: BackingData.getTransformableValue(forKey:)
  data.setValue(forKey: \.name, to: "")  // use: BackingData.setValue(forKey:to:) of a value
  data.setValue(forKey: \.owner, to: owner)  // use: BackingData.setValue(forKey:to:) of a model
  data.setValue(forKey: \.guide, to: owner as Guide?)  // use: BackingData.setValue(forKey:to:) of an optional model
  data.setValue(forKey: \.stops, to: stops)  // use: BackingData.setValue(forKey:to:) of models
  data.setTransformableValue(forKey: \.start, to: nil)  // use: BackingData.setTransformableValue(forKey:to:)
}

func coded<M: PersistentModel, C: RelationshipCollection & Codable>(
  _ data: any BackingData<M>, _ keyPath: KeyPath<M, C>, _ value: C
) {
  let _: C = data.getValue(forKey: keyPath)  // use: BackingData.getValue(forKey:) of Codable models
  data.setValue(forKey: keyPath, to: value)  // use: BackingData.setValue(forKey:to:) of Codable models
}

// use: BackingData._generateCurrentClassBackingData()
func current(_ data: any BackingData<Trip>) -> any BackingData<Tour> {
  data._generateCurrentClassBackingData()
}

// use: BackingData._superClassBackingData(of:)
func inherited(_ data: any BackingData<Tour>) -> any BackingData<Trip> {
  data._superClassBackingData(of: Tour.self)
}

// MARK: 3.4 PersistentIdentifier

func identifiers(
  _ identifier: PersistentIdentifier, _ decoder: any Decoder, _ encoder: any Encoder, _ hasher: inout Hasher
) throws {
  let _: any Hashable.Type = PersistentIdentifier.self  // use: PersistentIdentifier: Hashable
  let _: any Identifiable.Type = PersistentIdentifier.self  // use: PersistentIdentifier: Identifiable
  let _: any Equatable.Type = PersistentIdentifier.self  // use: PersistentIdentifier: Equatable
  let _: any Comparable.Type = PersistentIdentifier.self  // use: PersistentIdentifier: Comparable
  let _: any Decodable.Type = PersistentIdentifier.self  // use: PersistentIdentifier: Decodable
  let _: any Encodable.Type = PersistentIdentifier.self  // use: PersistentIdentifier: Encodable
  let _: any Sendable.Type = PersistentIdentifier.self  // use: PersistentIdentifier: Sendable
  let _: PersistentIdentifier.ID = identifier.id  // use: PersistentIdentifier.id
  let _: String = identifier.entityName  // use: PersistentIdentifier.entityName
  let _: String? = identifier.storeIdentifier  // use: PersistentIdentifier.storeIdentifier
  let _: PersistentIdentifier = try PersistentIdentifier(from: decoder)  // use: PersistentIdentifier.init(from:)
  try identifier.encode(to: encoder)  // use: PersistentIdentifier.encode(to:)
  let _: Bool = identifier == identifier  // use: PersistentIdentifier.==(_:_:)
  let _: Bool = identifier < identifier  // use: PersistentIdentifier.<(_:_:)
  identifier.hash(into: &hasher)  // use: PersistentIdentifier.hash(into:)
  let _: any Hashable.Type = PersistentIdentifier.ID.self  // use: PersistentIdentifier.ID: Hashable
  let _: any Equatable.Type = PersistentIdentifier.ID.self  // use: PersistentIdentifier.ID: Equatable
  let _: any Sendable.Type = PersistentIdentifier.ID.self  // use: PersistentIdentifier.ID: Sendable
}

// use: PersistentIdentifier.identifier(for:entityName:primaryKey:)
func identifier() throws -> PersistentIdentifier {
  try PersistentIdentifier.identifier(for: "store", entityName: "Trip", primaryKey: UUID().uuidString)
}
