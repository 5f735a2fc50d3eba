import CSQLite
import SwiftData

/// The file of one case's store, in a folder of its own.
struct LibraryStore {
  let folder: URL
  var name = "library.store"

  var file: URL { folder.appending(path: name) }
  private var externalFolder: URL { folder.appending(path: name + "_external") }

  /// The file of the store's backup, in the same folder.
  var copy: LibraryStore { LibraryStore(folder: folder, name: "copy.store") }

  var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

  func container() throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: LibraryV1.self), configurations: ModelConfiguration(url: file))
  }

  func migratedContainer() throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: LibraryV2.self), migrationPlan: LibraryPlan.self,
      configurations: ModelConfiguration(url: file))
  }

  static func cover(_ number: Int) -> Data { Data(repeating: UInt8(truncatingIfNeeded: number), count: 150_000) }

  /// Inserts the rows with which every case starts.
  func make() throws {
    let context = ModelContext(try container())
    let topics = (0..<4).map { LibraryV1.Topic("topic \($0)") }
    for index in 0..<6 {
      let author = LibraryV1.Author("author \(index)", born: 1900 + index)
      context.insert(author)
      for number in 0..<3 {
        let title = "book \(index) \(number)"
        let book = number == 1 ? LibraryV1.Novel(title, pages: number) : LibraryV1.Book(title, pages: number)
        if number == 0, index < 3 { book.cover = Self.cover(index) }
        author.books.append(book)
        book.topics = [topics[(index + number) % 4], topics[number]].uniqued()
      }
    }
    try context.save()
  }

  /// The problems that SQLite's integrity check finds, and references to external files that do not exist.
  func problems() -> [String] {
    var connection: OpaquePointer?
    defer { sqlite3_close_v2(connection) }
    guard sqlite3_open_v2(file.path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else { return ["no file"] }
    let check = texts("PRAGMA foreign_key_check", connection) + texts("PRAGMA quick_check(1)", connection)
    return check.filter { $0 != "ok" } + missingFiles(connection)
  }

  /// Changes the file through a plain SQLite connection, as another program would.
  func write(_ statements: [String]) throws {
    var connection: OpaquePointer?
    defer { sqlite3_close_v2(connection) }
    guard sqlite3_open_v2(file.path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { throw NotWritten() }
    for sql in statements where sqlite3_exec(connection, sql, nil, nil, nil) != SQLITE_OK { throw NotWritten() }
  }

  private struct NotWritten: Error {}

  private func missingFiles(_ connection: OpaquePointer?) -> [String] {
    texts("SELECT cover FROM Book WHERE typeof(cover) = 'text'", connection).filter { reference in
      let number = reference.prefix { $0 != ":" }
      return !FileManager.default.fileExists(atPath: externalFolder.appending(path: String(number)).path)
    }.map { "no file for \($0)" }
  }

  private func texts(_ sql: String, _ connection: OpaquePointer?) -> [String] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else {
      return [String(cString: sqlite3_errmsg(connection))]
    }
    var texts: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
    }
    return texts
  }
}

extension Array where Element: Hashable {
  fileprivate func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
