import SwiftData

/// An actor that conforms to `PersistentModel` and `ModelActor` without macros. Its values are encrypted, in rows or in
/// files beside the store.
actor Secret: @preconcurrency PersistentModel, ModelActor {
  nonisolated let modelExecutor: any ModelExecutor = Desk.executor
  nonisolated var modelContainer: ModelContainer { modelExecutor.modelContext.container }

  private let backing: Held<any BackingData<Secret>>
  nonisolated var persistentBackingData: any BackingData<Secret> {
    get { backing.value }
    set { backing.value = newValue }
  }

  init(backingData: any BackingData<Secret>) { backing = Held(backingData) }

  init(number: Int, body: String, note: String?, tags: [String], picture: Data?) {
    backing = Held(Secret.createBackingData())
    self._number = number
    self._body = body
    self._note = note
    self._tags = tags
    self._picture = picture
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    let encrypted = Schema.Attribute(.encrypt)
    return [
      Schema.PropertyMetadata(name: "number", keypath: \Secret._number, defaultValue: nil, metadata: nil),
      Schema.PropertyMetadata(name: "body", keypath: \Secret._body, defaultValue: nil, metadata: encrypted),
      Schema.PropertyMetadata(name: "note", keypath: \Secret._note, defaultValue: nil, metadata: encrypted),
      Schema.PropertyMetadata(name: "tags", keypath: \Secret._tags, defaultValue: nil, metadata: encrypted),
      Schema.PropertyMetadata(
        name: "picture", keypath: \Secret._picture, defaultValue: nil,
        metadata: Schema.Attribute(.encrypt, .externalStorage)),
    ]
  }

  private nonisolated var _number: Int {
    get { getValue(forKey: \._number) }
    set { setValue(forKey: \._number, to: newValue) }
  }

  private nonisolated var _body: String {
    get { getValue(forKey: \._body) }
    set { setValue(forKey: \._body, to: newValue) }
  }

  private nonisolated var _note: String? {
    get { getValue(forKey: \._note) }
    set { setValue(forKey: \._note, to: newValue) }
  }

  private nonisolated var _tags: [String] {
    get { getValue(forKey: \._tags) }
    set { setValue(forKey: \._tags, to: newValue) }
  }

  private nonisolated var _picture: Data? {
    get { getValue(forKey: \._picture) }
    set { setValue(forKey: \._picture, to: newValue) }
  }

  func rewrite(_ body: String, note: String?) {
    _body = body
    _note = note
  }

  func texts() -> [String?] { [_body, _note] + _tags }

  func picture() -> Data? { _picture }
}

/// The same model with `@Model`.
@Model
actor Confidence: ModelActor {
  nonisolated var modelExecutor: any ModelExecutor { Desk.executor }
  nonisolated var modelContainer: ModelContainer { modelExecutor.modelContext.container }

  var number: Int
  @Attribute(.encrypt) var body: String
  @Attribute(.encrypt) var note: String?
  @Attribute(.encrypt, .externalStorage) var picture: Data?

  init(_ number: Int, _ body: String, picture: Data?) {
    self._number = number
    self._body = body
    self._picture = picture
  }

  func rewrite(_ body: String, note: String?) {
    self.body = body
    self.note = note
  }
}
