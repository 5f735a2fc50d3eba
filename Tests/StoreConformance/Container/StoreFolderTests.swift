import OpenSwiftData
import Testing

@Suite("Folders of stores")
struct StoreFolderTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func open(_ url: URL, allowsSave: Bool = true) throws -> ModelContainer {
    try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: url, allowsSave: allowsSave))
  }

  @Test("missing folders are created with the store, for every spelling of the path")
  func made() throws {
    try withFolder { folder in
      let url = folder.appending(path: "a/b/c/books.store")
      try ModelContext(open(url)).run { $0.insert(Book("Emma")) }
      #expect(try ModelContext(open(url)).titles() == ["Emma"])
      for path in ["d//e/books.store", "f/../g/books.store", "h/./i/books.store", "ein Ordner/ø/books.store"] {
        _ = try open(URL(fileURLWithPath: folder.path + "/" + path))
        #expect(FileManager.default.fileExists(atPath: folder.path + "/" + path), "\(path)")
      }
    }
  }

  @Test("large values are stored in a folder beside a store whose folder was created")
  func external() throws {
    try withFolder { folder in
      let url = folder.appending(path: "a/b/photos.store")
      let container = try ModelContainer(for: Photo.self, configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      context.insert(Photo("a", image: .large(7)))
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Photo>()).first?.image == .large(7))
      #expect(try names(folder.appending(path: "a/b")).contains("photos.store_external"))
    }
  }

  @Test("the folders of all stores of a container are created")
  func several() throws {
    try withFolder { folder in
      let urls = ["x/photos.store", "y/z/scans.store"].map { folder.appending(path: $0) }
      _ = try ModelContainer(
        for: Schema([Photo.self, Scan.self]),
        configurations: [
          ModelConfiguration("photos", schema: Schema([Photo.self]), url: urls[0]),
          ModelConfiguration("scans", schema: Schema([Scan.self]), url: urls[1]),
        ])
      #expect(urls.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
    }
  }

  @Test("opening a read-only store and printing a migration plan create no folder")
  func readOnly() throws {
    try withFolder { folder in
      let url = folder.appending(path: "a/b/books.store")
      let error = #expect(throws: SwiftDataError.storeUnreachable) { try open(url, allowsSave: false) }
      #expect(error?.explanation?.contains("no folder \(folder.path)/a/b") == true)
      #expect(throws: SwiftDataError.storeUnreachable) {
        try ModelContainer.migrationPlan(from: ModelConfiguration(url: url), to: Schema([Book.self]))
      }
      let left = try names(folder)
      #expect(left == [])
    }
  }

  @Test("a file in place of a folder throws an error that names it, and nothing is created")
  func file() throws {
    try withFolder { folder in
      try Data("mine".utf8).write(to: folder.appending(path: "a"))
      for path in ["a/books.store", "a/b/c/books.store"] {
        let error = #expect(throws: SwiftDataError.storeUnreachable) { try open(folder.appending(path: path)) }
        #expect(
          error?.explanation?.contains("\(folder.path)/a is not a folder") == true, "\(String(describing: error))")
      }
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: "link").path, withDestinationPath: folder.path + "/nowhere")
      let error = #expect(throws: SwiftDataError.storeUnreachable) { try open(folder.appending(path: "link/b.store")) }
      #expect(
        error?.explanation?.contains("\(folder.path)/link is not a folder") == true, "\(String(describing: error))")
      #expect(try names(folder) == ["a", "link"])
      #expect(try Data(contentsOf: folder.appending(path: "a")) == Data("mine".utf8))
    }
  }

  @Test("created folders are removed if a folder below them cannot be created")
  func impossible() throws {
    try withFolder { folder in
      let name = String(repeating: "x", count: 300)
      let error = #expect(throws: SwiftDataError.storeUnreachable) {
        try open(folder.appending(path: "a/b/\(name)/books.store"))
      }
      #expect(error?.explanation?.contains("cannot be made") == true)
      let left = try names(folder)
      #expect(left == [])
    }
  }

  @Test(
    "the error names a folder without write permission",
    .enabled(if: geteuid() != 0, "permissions do not bind the root user"))
  func permissions() throws {
    try withFolder { folder in
      let place = folder.appending(path: "closed")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      chmod(place.path, 0o555)
      defer { chmod(place.path, 0o755) }
      let error = #expect(throws: SwiftDataError.storeReadOnly) { try open(place.appending(path: "a/books.store")) }
      #expect(error?.explanation?.contains("\(place.path) may not be written") == true)
    }
  }

  @Test("concurrent containers may create the same folders")
  func atOnce() async throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<8 {
        group.addTask { _ = try self.open(folder.appending(path: "a/b/c/d/\(index).store")) }
      }
      try await group.waitForAll()
    }
    #expect(try names(folder.appending(path: "a/b/c/d")).filter { $0.hasSuffix(".store") }.count == 8)
  }
}
