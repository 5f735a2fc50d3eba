import SwiftData
import Testing

/// A class with a hand-written conformance, whose image may be stored in a file of its own.
private final class Scan: PersistentModel {
  var persistentBackingData: any BackingData<Scan>

  init(backingData: any BackingData<Scan>) { persistentBackingData = backingData }

  init(_ name: String, _ image: Data?) {
    persistentBackingData = Scan.createBackingData()
    self.name = name
    self.image = image
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(name: "name", keypath: \Scan.name, defaultValue: nil, metadata: nil),
      Schema.PropertyMetadata(
        name: "image", keypath: \Scan.image, defaultValue: nil, metadata: Schema.Attribute(.externalStorage)),
    ]
  }

  var name: String {
    get { getValue(forKey: \.name) }
    set { setValue(forKey: \.name, to: newValue) }
  }

  var image: Data? {
    get { getValue(forKey: \.image) }
    set { setValue(forKey: \.image, to: newValue) }
  }
}

@Suite("Values that models with a hand-written conformance store in files")
struct HandWrittenFileTests {
  private func data(_ fill: UInt8) -> Data { Data(repeating: fill, count: 150_000) }

  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, [Scan.self])
    let context = store.context()
    context.insert(Scan("a", data(1)))
    try context.save()
    return store
  }

  private func files(_ store: TestStore) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: store.configuration.url.path + "_external").sorted()
  }

  @Test("a rollback, or a transaction that throws, restores the values in files", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let scan = try #require(try context.fetch(FetchDescriptor<Scan>()).first)
    scan.image = data(2)
    context.rollback()
    #expect(scan.image == data(1) && !scan.hasChanges)
    #expect(throws: Failure.self) {
      try context.transaction {
        scan.image = data(3)
        try context.save()
        throw Failure()
      }
    }
    #expect(scan.image == data(1))
    #expect(try store.context().fetch(FetchDescriptor<Scan>()).first?.image == data(1))
    if engine == .file { #expect(try files(store).count == 1) }
  }

  @Test("other contexts read the new values after the save", arguments: Engine.allCases)
  func propagation(_ engine: Engine) throws {
    let store = try store(engine)
    let (here, there) = (store.context(), store.context())
    let mine = try #require(try here.fetch(FetchDescriptor<Scan>()).first)
    let theirs = try #require(try there.fetch(FetchDescriptor<Scan>()).first)
    theirs.image = data(2)
    try there.save()
    #expect(try here.fetch(FetchDescriptor<Scan>()).first === mine)
    #expect(mine.image == data(2))
    // The two contexts change different properties. The second save must not overwrite the property that the first one
    // saved.
    theirs.image = nil
    try there.save()
    mine.name = "b"
    try here.save()
    let stored = try #require(try store.context().fetch(FetchDescriptor<Scan>()).first)
    #expect(stored.name == "b" && stored.image == nil)
    if engine == .file { #expect(try files(store) == []) }
  }

  @Test("readers get complete values while another context replaces them")
  func replacement() async throws {
    let store = try store(.file)
    let container = store.container
    try await withThrowingTaskGroup { group in
      group.addTask {
        let context = ModelContext(container)
        for round in 0..<40 {
          let scan = try #require(try context.fetch(FetchDescriptor<Scan>()).first)
          scan.image = Data(repeating: UInt8(round), count: 150_000)
          try context.save()
        }
      }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<60 {
            let image = try #require(try ModelContext(container).fetch(FetchDescriptor<Scan>()).first?.image)
            let fill = try #require(image.first)
            #expect(image.count == 150_000 && image.allSatisfy { $0 == fill })
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try files(store).count == 1)
  }

  @Test("if the file of a value is missing, the fetch lists the value in unreadValues")
  func missing() throws {
    let store = try store(.file)
    let folder = store.configuration.url.path + "_external"
    for file in try files(store) { try FileManager.default.removeItem(atPath: folder + "/" + file) }
    let context = store.context()
    let scans = try context.fetch(FetchDescriptor<Scan>())
    #expect(scans.count == 1 && context.unreadValues.map(\.propertyName) == ["image"])
    #expect(context.unreadValues.first.map { "\($0.error)".contains("Scan.image") } == true)
    withExtendedLifetime(scans) {}
  }
}
