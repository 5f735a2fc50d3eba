import SwiftData

/// Version 1 of the models. They use every kind of column and table.
enum LibraryV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Author.self, Book.self, Novel.self, Topic.self] }

  @Model final class Author {
    @Attribute(.unique) var name: String
    var born: Int
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

    init(_ name: String, born: Int) {
      self.name = name
      self.born = born
    }
  }

  @Model class Book {
    var title: String
    var pages: Int
    @Attribute(.externalStorage) var cover: Data?
    /// A text so long that a few rows fill a page of the file.
    var summary: String
    var author: Author?
    @Relationship(inverse: \Topic.books) var topics: [Topic] = []

    init(_ title: String, pages: Int, cover: Data? = nil) {
      self.title = title
      self.pages = pages
      self.cover = cover
      summary = String(repeating: title, count: 150)
    }
  }

  @Model final class Novel: Book {
    var mood: String = "calm"

    override init(_ title: String, pages: Int, cover: Data? = nil) {
      super.init(title, pages: pages, cover: cover)
    }
  }

  @Model final class Topic {
    #Index<Topic>([\.word])
    var word: String
    var books: [Book] = []

    init(_ word: String) { self.word = word }
  }
}

/// Version 2: one attribute is renamed, one number has another type, and a value in external files moves into its
/// column.
enum LibraryV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Author.self, Book.self, Novel.self, Topic.self] }

  @Model final class Author {
    @Attribute(.unique) var name: String
    var born: Double
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

    init(_ name: String, born: Double) {
      self.name = name
      self.born = born
    }
  }

  @Model class Book {
    @Attribute(originalName: "title") var name: String
    var pages: Int
    var cover: Data?
    var summary: String = ""
    var author: Author?
    @Relationship(inverse: \Topic.books) var topics: [Topic] = []

    init(_ name: String, pages: Int) {
      self.name = name
      self.pages = pages
    }
  }

  @Model final class Novel: Book {
    var mood: String = "calm"

    override init(_ name: String, pages: Int) { super.init(name, pages: pages) }
  }

  @Model final class Topic {
    #Index<Topic>([\.word])
    var word: String
    var books: [Book] = []

    init(_ word: String) { self.word = word }
  }
}

/// The migration from version 1 to version 2. Its stage runs code that reads and writes before and after the tables
/// change.
enum LibraryPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }

  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: LibraryV1.self, toVersion: LibraryV2.self,
        willMigrate: { context in
          for topic in try context.fetch(FetchDescriptor<LibraryV1.Topic>()) { topic.word += " in words" }
          try context.save()
        },
        didMigrate: { context in
          for author in try context.fetch(FetchDescriptor<LibraryV2.Author>()) { author.born += 0.5 }
          try context.save()
        })
    ]
  }
}
