import JSONStore
import SwiftData

@Model
final class Author {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

  init(name: String) { self.name = name }
}

@Model
final class Book {
  var title: String
  var pages: Int
  var published: Date?
  var author: Author?

  init(title: String, pages: Int, author: Author? = nil) {
    self.title = title
    self.pages = pages
    self.author = author
  }
}

/// A program with models in JSON files. Only the configuration differs from that of other programs.
@main
struct Library {
  static func main() throws {
    let path = CommandLine.arguments.dropFirst().first ?? "library"
    let folder = URL(filePath: path, directoryHint: .isDirectory)
    let container = try ModelContainer(
      for: Author.self, Book.self, configurations: JSONStoreConfiguration("library", folder: folder))
    let context = ModelContext(container)

    if try context.fetchCount(FetchDescriptor<Author>()) == 0 {
      try fill(context)
      print("wrote \(folder.path)")
    } else {
      let author = try context.fetch(FetchDescriptor<Author>()).first
      author?.books.first?.pages += 1
      try context.save()
      print("changed \(folder.path)")
    }

    let long = FetchDescriptor<Book>(
      predicate: #Predicate { $0.pages > 200 }, sortBy: [SortDescriptor(\.title)])
    for book in try context.fetch(long) {
      print("\(book.title), \(book.pages) pages, by \(book.author?.name ?? "nobody")")
    }
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() { print("  \(file)") }
  }

  private static func fill(_ context: ModelContext) throws {
    let author = Author(name: "Jane Austen")
    context.insert(author)
    author.books = [
      Book(title: "Emma", pages: 474), Book(title: "Persuasion", pages: 236), Book(title: "Lady Susan", pages: 80),
    ]
    try context.save()
  }
}
