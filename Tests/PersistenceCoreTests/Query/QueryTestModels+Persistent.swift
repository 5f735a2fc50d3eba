import PersistenceCore

// The minimal conformance of the test models: their layouts are hand-written, and they are never stored.

extension Item: PersistentModel {
  convenience init(backingData: any BackingData<Item>) {
    self.init()
  }

  var persistentBackingData: any BackingData<Item> {
    get { preconditionFailure("the model of the query tests has no backing data") }
    set {}
  }

  static var schemaMetadata: [Schema.PropertyMetadata] { [] }
}

extension Bookmark: PersistentModel {
  convenience init(backingData: any BackingData<Bookmark>) {
    self.init()
  }

  var persistentBackingData: any BackingData<Bookmark> {
    get { preconditionFailure("the model of the query tests has no backing data") }
    set {}
  }

  static var schemaMetadata: [Schema.PropertyMetadata] { [] }
}
