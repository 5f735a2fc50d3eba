import SwiftData

/// An identifier that consists of several parts, as mail programs use it.
struct FolderID: Hashable {
  enum Platform: String, Codable {
    case one, two
  }

  var platform: Platform
  var inner: String

  var text: String { "\(platform.rawValue):\(inner)" }
}

/// A model with a computed property whose accessors set three persisted properties.
@Model
class MailFolder {
  /// This property is used only in queries.
  @Attribute(.unique)
  private(set) var id: String
  private(set) var platform: String
  private(set) var platformID: String

  var folderID: FolderID {
    @storageRestrictions(accesses: _$backingData, initializes: _platform, _platformID, _id)
    init(initialValue) {
      let (platform, inner, text) = (initialValue.platform, initialValue.inner, initialValue.text)
      _$backingData.setValue(forKey: \.platform, to: platform.rawValue)
      _$backingData.setValue(forKey: \.platformID, to: inner)
      _$backingData.setValue(forKey: \.id, to: text)

      _platform = _SwiftDataNoType()
      _platformID = _SwiftDataNoType()
      _id = _SwiftDataNoType()
    }
    get { FolderID(platform: FolderID.Platform(rawValue: platform) ?? .one, inner: platformID) }
    set {
      platform = newValue.platform.rawValue
      platformID = newValue.inner
      id = newValue.text
    }
  }

  var name: String
  @Relationship(deleteRule: .cascade, inverse: \MailMessage.folder) var messages: [MailMessage] = []

  init(folderID: FolderID, name: String) {
    self.folderID = folderID
    self.name = name
  }
}

/// A model whose accessors set a relationship, an optional and a transformed value. The persisted properties are
/// declared before the accessors.
@Model
public final class MailMessage {
  var folder: MailFolder?
  var subject: String?
  private var _parts: [String]
  var count: Int = 0

  var place: (MailFolder?, String?) {
    @storageRestrictions(initializes: _folder, _subject, accesses: _$backingData)
    init(initialValue) {
      _folder = .init()
      _subject = .init()
      _$backingData.setValue(forKey: \.folder, to: initialValue.0)
      _$backingData.setValue(forKey: \.subject, to: initialValue.1)
    }
    get { (folder, subject) }
    set { (folder, subject) = newValue }
  }

  var parts: String {
    @storageRestrictions(accesses: _$backingData, initializes: __parts)
    init(initialValue) {
      _$backingData.setTransformableValue(forKey: \._parts, to: initialValue.split(separator: "/").map(String.init))
      __parts = _SwiftDataNoType()
    }
    get { _parts.joined(separator: "/") }
    set { _parts = newValue.split(separator: "/").map(String.init) }
  }

  init(in folder: MailFolder?, subject: String?, parts: String) {
    self.place = (folder, subject)
    self.parts = parts
  }
}

/// A model with a computed property of an optional type. Each initialiser first sets the property to nil.
@Model
final class MailDraft {
  var subject: String?
  var words: Int = 7
  var text: String

  var topic: String? {
    @storageRestrictions(accesses: _$backingData, initializes: _subject, _words)
    init(initialValue) {
      _$backingData.setValue(forKey: \.subject, to: initialValue)
      _$backingData.setValue(forKey: \.words, to: Self.words(in: initialValue))
      _subject = _SwiftDataNoType()
      _words = _SwiftDataNoType()
    }
    get { subject }
    set { subject = newValue }
  }

  // In an init accessor, Swift 6.3 treats properties as uninitialised after a branch. So this function contains the
  // branch.
  private static func words(in topic: String?) -> Int { topic?.count ?? 0 }

  init(topic: String?, text: String) {
    self.topic = topic
    self.text = text
  }

  init(subject: String, text: String) {
    self.subject = subject
    self.text = text
  }
}

/// A model with a computed property that is observed like a stored one, and a persisted property with `didSet`.
@Model
final class Dial {
  var turns: Int { didSet { Dial.noticed.append(turns) } }
  @Transient private var hidden = 0
  @Transient nonisolated(unsafe) static var noticed: [Int] = []

  var angle: Int {
    get {
      _$observationRegistrar.access(self, keyPath: \.angle)
      return hidden
    }
    set {
      _$observationRegistrar.withMutation(of: self, keyPath: \.angle) { hidden = newValue }
    }
  }

  var initialTurns: Int {
    @storageRestrictions(accesses: _$backingData, initializes: _turns)
    init(initialValue) {
      _$backingData.setValue(forKey: \.turns, to: initialValue)
      _turns = _SwiftDataNoType()
    }
    get { turns }
  }

  init(initialTurns: Int) {
    self.initialTurns = initialTurns
  }

  func reset() {
    _$observationRegistrar.willSet(self, keyPath: \.angle)
    hidden = 0
    _$observationRegistrar.didSet(self, keyPath: \.angle)
  }
}
