import PersistenceCore

// Several versions of notes and tags. Each version has another relationship between the two.

enum Unrelated {
  @Model final class Note {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

enum OneWay {
  @Model final class Note {
    var title: String
    @Relationship(inverse: nil) var tag: Tag?
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

enum ManyOneWay {
  @Model final class Note {
    var title: String
    @Relationship(inverse: nil) var tag: [Tag] = []
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

enum BothWays {
  @Model final class Note {
    var title: String
    var tag: Tag?
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    @Relationship(inverse: \Note.tag) var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

enum Cascading {
  @Model final class Note {
    var title: String
    var tag: Tag?
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Note.tag) var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

enum Many {
  @Model final class Note {
    var title: String
    @Relationship(inverse: \Tag.notes) var tags: [Tag] = []
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

enum ManyRenamed {
  @Model final class Note {
    var title: String
    @Relationship(originalName: "tags", inverse: \Tag.notes) var labels: [Tag] = []
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}
