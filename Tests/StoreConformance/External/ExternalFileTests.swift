import SwiftData
import Testing

@Suite("The files of @Attribute(.externalStorage)")
struct ExternalFileTests {
  private struct Undone: Error {}

  @Test("replacing a value, setting it to nil or deleting its row deletes the value's file")
  func removal() throws {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    let context = store.context()
    let photo = try context.photo()
    let first = try store.externalFiles()
    photo.image = .large(2)
    try context.save()
    let second = try store.externalFiles()
    #expect(second.count == 1 && second != first)
    photo.image = nil
    photo.preview = .large(3)
    try context.save()
    #expect(try store.externalFiles().count == 1)
    context.delete(photo)
    try context.save()
    #expect(try store.externalFiles() == [])
  }

  @Test(
    "replacing a file reference that another program wrote deletes no file of another value",
    arguments: ["2:3", "2:200000", "3:200000", "1:7", "9:200000"])
  func foreignReference(_ reference: String) throws {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    let context = store.context()
    for title in ["b", "c"] { context.insert(Photo(title)) }
    try context.save()
    // File 1 belongs to photo "a", and the next new file gets the number 2. The changed rows refer to files that are
    // not theirs.
    try store.tamper("UPDATE Photo SET image = '\(reference)' WHERE title IN ('b', 'c')")
    let other = store.context()
    for (fill, title) in zip(UInt8(4)..., ["b", "c"]) { try other.photo(title).image = .large(fill) }
    try other.save()
    // The store keeps a list of files to remove; this save removes all files on the list.
    try other.photo("a").title = "a"
    try other.photo("a").preview = .large(8)
    try other.save()
    let images = try ["a", "b", "c"].map { try store.storedPhoto($0).image }
    #expect(images == [.large(1), .large(4), .large(5)])
    #expect(try store.externalFiles().count == 4)
  }

  @Test("a rollback keeps the file and restores the property")
  func rollback() throws {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    let context = store.context()
    let photo = try context.photo()
    photo.image = .large(2)
    context.rollback()
    #expect(photo.image == .large(1))
    photo.image = Data([2])
    context.rollback()
    #expect(photo.image == .large(1))
    context.delete(photo)
    context.rollback()
    #expect(try store.externalFiles().count == 1)
    #expect(try store.storedPhoto().image == .large(1))
  }

  @Test("a failed save leaves no new file, and keeps the old file")
  func failedSave() throws {
    let store = try TestStore(.file, [Photo.self, Scan.self])
    let context = store.context()
    context.insert(Photo("a", image: .large(1)))
    context.insert(Scan(original: Data(), fingerprint: Data([1])))
    try context.save()
    let files = try store.externalFiles()
    try store.tamper("CREATE TRIGGER refuse BEFORE INSERT ON Scan BEGIN SELECT RAISE(ABORT, 'refused'); END")
    try context.photo().image = .large(2)
    context.insert(Scan(original: .large(3), fingerprint: Data([2])))
    #expect(throws: (any Error).self) { try context.save() }
    #expect(try store.externalFiles() == files)
    #expect(try store.storedPhoto().image == .large(1))
    try store.tamper("DROP TRIGGER refuse")
    try context.save()
    #expect(try store.storedPhoto().image == .large(2))
    #expect(try store.externalFiles().count == 2)
  }

  @Test("if a transaction throws after saves that replaced files, the files are unchanged")
  func transaction() throws {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    let files = try store.externalFiles()
    let context = store.context()
    let photo = try context.photo()
    #expect(throws: Undone.self) {
      try context.transaction {
        photo.image = .large(2)
        try context.save()
        photo.image = .large(3)
        try context.save()
        #expect(photo.image == .large(3))
        #expect(try context.photo().image == .large(3))
        throw Undone()
      }
    }
    #expect(try store.externalFiles() == files)
    #expect(photo.image == .large(1))
  }

  @Test("if a nested transaction throws, the files that the outer transaction wrote are kept")
  func nested() throws {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    let context = store.context()
    let photo = try context.photo()
    try context.transaction {
      photo.image = .large(2)
      try context.save()
      #expect(throws: Undone.self) {
        try context.transaction {
          photo.image = .large(3)
          context.insert(Photo("b", image: .large(4)))
          try context.save()
          throw Undone()
        }
      }
      #expect(photo.image == .large(2))
      photo.preview = .large(5)
    }
    #expect(try store.externalFiles().count == 2)
    let stored = try store.storedPhoto()
    #expect(stored.image == .large(2))
    #expect(stored.preview == .large(5))
  }

  @Test("an upsert deletes the previous file of the row, so that each row has one file")
  func upsert() throws {
    let store = try TestStore(.file, [Scan.self])
    let writer = store.context()
    writer.insert(Scan(original: .large(1), fingerprint: Data([1])))
    writer.insert(Scan(original: .large(2), fingerprint: Data([2])))
    try writer.save()
    let context = store.context()
    for fill in [UInt8(3), 4] { context.insert(Scan(original: .large(fill), fingerprint: Data([fill - 2]))) }
    context.insert(Scan(original: .large(5), fingerprint: Data([3])))
    try context.save()
    #expect(try store.externalFiles().count == 3)
    let scans = try store.context().fetch(FetchDescriptor<Scan>())
    #expect(scans.map(\.original).sorted { $0[0] < $1[0] } == [.large(3), .large(4), .large(5)])
  }

  @Test("erasing the store removes its external files")
  func erase() throws {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    try store.container.erase()
    #expect(try store.externalFiles() == [])
    let context = store.context()
    context.insert(Photo("a", image: .large(2)))
    try context.save()
    #expect(try store.storedPhoto().image == .large(2))
  }

  @Test("opening the store removes numbered files to which no row refers, and no other files")
  func orphans() throws {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    let mine = try store.externalFiles()
    for name in ["2", "3", "4"] { try Data([1]).write(to: store.externalFolder.appending(path: name)) }
    try Data([1]).write(to: store.externalFolder.appending(path: "notes.txt"))
    try store.reopen()
    #expect(try store.externalFiles() == mine + ["notes.txt"])
    #expect(try store.storedPhoto().image == .large(1))
  }

  @Test("opening the store removes the file of a deleted row")
  func superfluous() throws {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    // As after a process that was killed between the commit, which deletes the row, and the removal of the file.
    try store.tamper("DELETE FROM Photo")
    #expect(try store.externalFiles().count == 1)
    try store.reopen()
    #expect(try store.externalFiles() == [])
  }

  @Test("opening the store again keeps the files of another container's uncommitted transaction")
  func twoWriters() throws {
    let store = try TestStore.ofPhotos(.file)
    let context = store.context()
    try context.transaction {
      try context.photo().image = .large(1)
      try context.save()
      #expect(try store.externalFiles().count == 1)
      let other = try ModelContainer(for: store.schema, configurations: [store.configuration])
      #expect(try ModelContext(other).photo().image == nil)
      #expect(try store.externalFiles().count == 1)
    }
    #expect(try store.storedPhoto().image == .large(1))
  }

  @Test("a missing or truncated file leaves the property unread, and a predicate that compares its bytes throws")
  func damage() throws {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    let context = store.context()
    let photo = try context.photo()
    #expect(photo.image == .large(1))
    let file = store.externalFolder.appending(path: try store.externalFiles()[0])
    try Data([1]).write(to: file)
    // The fetch detects that the file has changed, and the next access reads it again.
    #expect(try context.fetch(FetchDescriptor<Photo>()).count == 1)
    #expect(photo.image == nil)
    let short = context.unreadValues.first?.error.explanation
    #expect(short?.contains("Photo.image of row 1: the file \(file.path) that holds the value has 1") == true)
    try FileManager.default.removeItem(at: file)
    #expect(photo.image == nil)
    let missing = context.unreadValues.first?.error.explanation
    #expect(missing?.contains("is missing. Restore the folder") == true)
    #expect(try store.storedPhoto().image == nil)
    let large = Data.large(1)
    #expect(throws: SwiftDataError.corruptValue) {
      try store.context().fetch(FetchDescriptor<Photo>(predicate: #Predicate { $0.image == large }))
    }
    // The property returns the default while its value is unread. A save of another property must not write this
    // default.
    let other = store.context()
    let found = try other.photo()
    _ = found.image
    found.caption = "changed"
    let unread = #expect(throws: SwiftDataError.corruptValue) { try other.save() }
    #expect(unread?.explanation?.contains("image could not be read") == true)
    // The first save reported the unread value, so the second save stores the other changes.
    try other.save()
    #expect(try store.storedPhoto().caption == "changed")
    try Data.large(1).write(to: file)
    #expect(found.image == .large(1))
    #expect(try store.storedPhoto().image == .large(1))
  }

  @Test("an object whose saved insertion is rolled back keeps every value whose file can be read")
  func newAgain() throws {
    let store = try TestStore.ofPhotos(.file)
    let context = store.context()
    let photo = Photo("new", image: .large(1))
    photo.preview = .large(2)
    #expect(throws: Failure.self) {
      try context.transaction {
        context.insert(photo)
        try context.save()
        let files = try store.externalFiles().map { store.externalFolder.appending(path: $0) }
        let preview = try #require(files.first { try Data(contentsOf: $0) == .large(2) })
        for file in files { try Data([1]).write(to: file) }
        // Both properties are unread. Then the file of the preview is restored.
        #expect(try context.fetch(FetchDescriptor<Photo>()).count == 2)
        try Data.large(2).write(to: preview)
        throw Failure()
      }
    }
    #expect(photo.modelContext == nil)
    #expect(photo.preview == .large(2))
    #expect(photo.image == nil)
  }

  @Test("a read-only container reads values in external files")
  func readOnly() throws {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    let configuration = ModelConfiguration(schema: store.schema, url: store.configuration.url, allowsSave: false)
    let container = try ModelContainer(for: store.schema, configurations: [configuration])
    #expect(try ModelContext(container).photo().image == .large(1))
  }

  @Test("a store that is opened through a symbolic link has its files beside the target")
  func link() throws {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    let link = store.configuration.url.deletingLastPathComponent().appending(path: "link.store")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: store.configuration.url)
    let configuration = ModelConfiguration(schema: store.schema, url: link)
    let container = try ModelContainer(for: store.schema, configurations: [configuration])
    #expect(try ModelContext(container).photo().image == .large(1))
  }

  @Test("if the folder of external files cannot be written to, the save throws and nothing is saved")
  func unwritable() throws {
    let store = try TestStore.ofPhotos(.file)
    try Data().write(to: store.externalFolder)
    let context = store.context()
    try context.photo().image = .large(1)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.contains("Photo.image") == true)
    #expect(try store.storedPhoto().image == nil)
    try FileManager.default.removeItem(at: store.externalFolder)
    try context.save()
    #expect(try store.storedPhoto().image == .large(1))
  }
}
