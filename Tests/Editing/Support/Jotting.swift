import SwiftData

/// A model that conforms to `PersistentModel` without the macro. Tests make the column of `words` undecodable; `name`
/// follows, so that they can check that the columns after an undecodable one are still read.
final class Jotting: PersistentModel {
  var persistentBackingData: any BackingData<Jotting>

  init(backingData: any BackingData<Jotting>) { persistentBackingData = backingData }

  init(_ name: String, words: [String]) {
    persistentBackingData = Jotting.createBackingData()
    self.words = words
    self.name = name
  }

  var words: [String] {
    get { getValue(forKey: \.words) }
    set { setValue(forKey: \.words, to: newValue) }
  }

  var name: String {
    get { getValue(forKey: \.name) }
    set { setValue(forKey: \.name, to: newValue) }
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(name: "words", keypath: \Jotting.words, defaultValue: nil, metadata: nil),
      Schema.PropertyMetadata(name: "name", keypath: \Jotting.name, defaultValue: nil, metadata: nil),
    ]
  }
}
