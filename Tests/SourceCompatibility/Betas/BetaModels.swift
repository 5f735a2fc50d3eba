import SwiftData

@available(*, deprecated)
@Model
final class BetaNote {
  @Attribute([.unique], originalName: nil, hashModifier: nil) let uniqueID: UUID
  @Attribute([.allowsCloudEncryption], originalName: nil, hashModifier: nil) var body: String
  @Attribute var modifiedDate: Date
  @Attribute([.externalStorage], originalName: nil, hashModifier: nil) var imageData: Data?
  @Attribute(.transformable) var tags: [String] = []
  @Attribute(.transformable) var scores: [Float]?

  init(uniqueID: UUID, body: String, modifiedDate: Date, imageData: Data?) {
    self.uniqueID = uniqueID
    self.body = body
    self.modifiedDate = modifiedDate
    self.imageData = imageData
  }
}

/// A model that is written without `@Model`. It uses current names, but creates its backing data as code for the betas
/// does.
@available(*, deprecated)
final class BetaMemo: PersistentModel {
  var persistentBackingData: any BackingData<BetaMemo> = DefaultBackingData(for: BetaMemo.self)

  init(backingData: any BackingData<BetaMemo>) { persistentBackingData = backingData }

  init(_ text: String) { self.text = text }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(
        name: "text", keypath: \BetaMemo.text, defaultValue: nil, metadata: Attribute([.unique]))
    ]
  }

  var text: String {
    get { backingData.getValue(for: \.text) }
    set { backingData.setValue(for: \.text, to: newValue) }
  }
}
