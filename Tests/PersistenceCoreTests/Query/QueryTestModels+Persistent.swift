import PersistenceCore

// The minimal code with which the test models conform to PersistentModel. The tests never store them, and their layouts
// are written by hand.

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
