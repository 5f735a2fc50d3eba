import SwiftData
import Testing

@Suite("@Attribute(.externalStorage)")
struct ExternalStorageTests {
  @Test("large, small, nil and empty data are read as they were saved", arguments: Engine.allCases)
  func roundTrip(_ engine: Engine) throws {
    let values: [Data?] = [
      nil, Data(), Data([0]), Data("1:200000".utf8), .large(1, count: 102_400), .large(2, count: 102_401),
      .large(3, count: 3_000_000),
    ]
    let store = try TestStore(engine, [Photo.self])
    let writer = store.context()
    for (number, value) in values.enumerated() {
      let photo = Photo("\(number)", image: value)
      photo.preview = value ?? .large(9)
      writer.insert(photo)
    }
    try writer.save()
    try store.reopen()
    let reader = store.context()
    for (number, value) in values.enumerated() {
      let photo = try reader.photo("\(number)")
      #expect(photo.image == value)
      #expect(photo.preview == value ?? .large(9))
      #expect(photo.caption == "none")
      #expect(!photo.hasChanges)
    }
  }

  @Test(
    "only data of more than 100 KB is stored in files, and a store in memory has no files", arguments: Engine.allCases)
  func threshold(_ engine: Engine) throws {
    let store = try TestStore.ofPhotos(engine, image: .large(1, count: 102_400))
    #expect(try store.externalFiles() == [])
    let context = store.context()
    try context.photo().image = .large(1, count: 102_401)
    try context.photo().caption = String(repeating: "x", count: 200_000)
    try context.save()
    #expect(try store.externalFiles().count == (engine == .file ? 1 : 0))
  }

  @Test("a fetch does not read the file, and the first access reads only that property of the row")
  func lazy() throws {
    let store = try TestStore.ofPhotos(.file, image: .large(7))
    let context = store.context()
    let photo = try context.photo()
    // If the first access to the image read the whole row, the object would get this changed title.
    try store.tamper("UPDATE Photo SET title = 'changed behind the back'")
    #expect(photo.image == .large(7))
    #expect(photo.title == "a")
    try FileManager.default.removeItem(at: store.externalFolder)
    #expect(try store.storedPhoto("changed behind the back").title == "changed behind the back")
    #expect(photo.image == .large(7), "what was read stays")
  }

  @Test(
    "a fetch reads a constant's file immediately, and a unique value is stored in its row", arguments: Engine.allCases)
  func constants(_ engine: Engine) throws {
    let store = try TestStore(engine, [Scan.self])
    let context = store.context()
    context.insert(Scan(original: .large(1), fingerprint: .large(2)))
    try context.save()
    #expect(try store.externalFiles().count == (engine == .file ? 1 : 0))
    let scan = try #require(try store.context().fetch(FetchDescriptor<Scan>()).first)
    #expect(scan.original == .large(1))
    #expect(scan.fingerprint == .large(2))
    context.insert(Scan(original: .large(3), fingerprint: .large(2)))
    try? context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Scan>()) == 1)
  }

  @Test("data can be changed in place", arguments: Engine.allCases)
  func inPlace(_ engine: Engine) throws {
    let store = try TestStore.ofPhotos(engine, image: .large(1))
    let context = store.context()
    try context.photo().image?.append(2)
    try context.save()
    #expect(try store.storedPhoto().image == .large(1) + [2])
  }

  @Test("a change of another property does not change the file", arguments: Engine.allCases)
  func otherProperty(_ engine: Engine) throws {
    let store = try TestStore.ofPhotos(engine, image: .large(1))
    let files = try store.externalFiles()
    let context = store.context()
    try context.photo().caption = "changed"
    try context.save()
    #expect(try store.externalFiles() == files)
    #expect(try store.storedPhoto().image == .large(1))
  }

  @Test(
    "SQL evaluates a comparison with nil, and memory evaluates a comparison with other data", arguments: Engine.allCases
  )
  func predicates(_ engine: Engine) throws {
    let store = try TestStore.ofPhotos(engine, image: .large(1))
    let writer = store.context()
    writer.insert(Photo("b"))
    writer.insert(Photo("c", image: Data([1])))
    try writer.save()
    let context = store.context()
    func titles(_ predicate: Predicate<Photo>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.title).sorted()
    }
    #expect(try titles(#Predicate { $0.image == nil }) == ["b"])
    #expect(try titles(#Predicate { nil != $0.image }) == ["a", "c"])
    let (large, small, other) = (Data.large(1), Data([1]), Data.large(2))
    #expect(try titles(#Predicate { $0.image == large }) == ["a"])
    #expect(try titles(#Predicate { $0.image == small }) == ["c"])
    #expect(try titles(#Predicate { $0.image == other || $0.title == "b" }) == ["b"])
    #expect(try titles(#Predicate { $0.image != large }) == ["b", "c"])
    #expect(try context.fetchCount(FetchDescriptor<Photo>(predicate: #Predicate { $0.image == large })) == 1)
  }

  @Test(
    "another context reads the value, and a fetch reads the value that the other context saved",
    arguments: Engine.allCases)
  func contexts(_ engine: Engine) throws {
    let store = try TestStore.ofPhotos(engine, image: .large(1))
    let (reader, writer) = (store.context(), store.context())
    let photo = try reader.photo()
    #expect(photo.image == .large(1))
    try writer.photo().image = .large(2)
    try writer.save()
    #expect(photo.image == .large(1), "it was not fetched again")
    _ = try reader.photo()
    #expect(photo.image == .large(2))
    try writer.photo().image = Data([3])
    try writer.save()
    _ = try reader.photo()
    #expect(photo.image == Data([3]))
    #expect(!photo.hasChanges)
  }

  @Test(
    "the first access after another context replaced the file reads the current content",
    arguments: Engine.allCases)
  func replacedMeanwhile(_ engine: Engine) throws {
    let store = try TestStore.ofPhotos(engine, image: .large(1))
    let reader = store.context()
    let photo = try reader.photo()
    let writer = store.context()
    try writer.photo().image = .large(2)
    try writer.save()
    #expect(photo.image == (engine == .file ? .large(2) : .large(1)))
  }

  @Test("a value copied to another model gets its own file", arguments: Engine.allCases)
  func copies(_ engine: Engine) throws {
    let store = try TestStore.ofPhotos(engine, image: .large(1))
    let context = store.context()
    let photo = try context.photo()
    let other = store.context()
    other.insert(Photo("copy", image: photo.image))
    try other.save()
    context.delete(photo)
    try context.save()
    #expect(try store.externalFiles().count == (engine == .file ? 1 : 0))
    #expect(try store.storedPhoto("copy").image == .large(1))
  }

  @Test("fetching an object whose value is unchanged notifies no observer", arguments: Engine.allCases)
  func observers(_ engine: Engine) throws {
    let store = try TestStore.ofPhotos(engine, image: .large(1))
    let context = store.context()
    let photo = try context.photo()
    let flag = Flag()
    withObservationTracking {
      _ = photo.image
    } onChange: {
      flag.raise()
    }
    _ = try context.photo()
    #expect(!flag.isRaised)
  }

  @Test("a partial fetch of other properties reads the value on first access", arguments: Engine.allCases)
  func partial(_ engine: Engine) throws {
    let store = try TestStore.ofPhotos(engine, image: .large(1))
    let context = store.context()
    var descriptor = FetchDescriptor<Photo>()
    descriptor.propertiesToFetch = [\.title]
    let photo = try #require(try context.fetch(descriptor).first)
    #expect(photo.image == .large(1))
    #expect(photo.caption == "none")
    photo.title = "b"
    try context.save()
    #expect(try store.storedPhoto("b").image == .large(1))
  }

  @Test("a deleted object keeps a value that it has read, even when it is inserted again", arguments: Engine.allCases)
  func deleted(_ engine: Engine) throws {
    let store = try TestStore.ofPhotos(engine, image: .large(1))
    let context = store.context()
    let photo = try context.photo()
    _ = photo.image
    context.delete(photo)
    try context.save()
    #expect(photo.isDeleted)
    #expect(photo.image == .large(1))
    context.insert(photo)
    try context.save()
    #expect(try store.storedPhoto().image == .large(1))
  }

  @Test("if another context deleted the row before the first access, the property returns the default")
  func gone() throws {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    let context = store.context()
    let photo = try context.photo()
    let other = store.context()
    other.delete(try other.photo())
    try other.save()
    #expect(photo.image == nil)
    #expect(photo.isDeleted)
    #expect(photo.title == "a")
  }

  @Test("an object can still read its value after the release of its context", arguments: Engine.allCases)
  func outliving(_ engine: Engine) throws {
    let store = try TestStore.ofPhotos(engine, image: .large(1))
    let photo = try store.storedPhoto()
    #expect(photo.image == .large(1))
  }
}
