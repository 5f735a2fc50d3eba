#if PostgreSQL && Encryption
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  @Model
  class Ledger {
    var title: String
    @Attribute(.encrypt, .preserveValueOnDeletion) var body: String

    init(_ title: String, body: String) {
      self.title = title
      self.body = body
    }
  }

  @Model
  final class DeepLedger: Ledger {
    @Attribute(.encrypt) var depth: Int?

    override init(_ title: String, body: String) { super.init(title, body: body) }
  }

  /// Does something whenever a batch is done.
  private final class StepProgress: Progress, @unchecked Sendable {
    // Unchecked as its superclass is: what is to be done is set before, and never changed.
    private let step: @Sendable (Progress) -> Void

    init(_ step: @escaping @Sendable (Progress) -> Void) {
      self.step = step
      super.init(parent: nil, userInfo: nil)
    }

    override var completedUnitCount: Int64 {
      get { super.completedUnitCount }
      set {
        super.completedUnitCount = newValue
        step(self)
      }
    }
  }

  @Suite("Change of the keys of stores in PostgreSQL")
  struct KeyChangeTests {
    private typealias Key = ModelConfiguration.EncryptionKey

    private let store: ServerStore
    private let old = Key()
    private let new = Key()
    private let other = Key()

    init() throws { store = try ServerStore() }

    private func open(_ key: Key, _ former: [Key] = [], allowsSave: Bool = true) throws -> ModelContainer {
      store.configuration.encryptionKey = key
      store.configuration.formerEncryptionKeys = former
      store.configuration.allowsSave = allowsSave
      return try store.open([Ledger.self, DeepLedger.self])
    }

    private func fill(_ count: Int) throws {
      let context = ModelContext(try open(old))
      for index in 0..<count {
        context.insert(Ledger("plain \(index)", body: "body \(index)"))
        let deep = DeepLedger("deep \(index)", body: "deep body \(index)")
        context.insert(deep)
        deep.depth = index
      }
      try context.save()
    }

    private func contents(_ container: ModelContainer) throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor<Ledger>()).map { ledger in
        "\(ledger.title) \(ledger.body) \((ledger as? DeepLedger)?.depth ?? -1)"
      }.sorted()
    }

    private func keyCount() throws -> Int {
      let rows = try store.catalog().rows("SELECT \"value\" FROM _osd_metadata WHERE \"key\" = 'encryption'")
      return try #require(rows.first?.first ?? nil).split(separator: " ").count
    }

    private func expectRefused(_ key: Key, _ former: [Key] = []) {
      #expect(throws: SwiftDataError.encryptionKeyWrong) { try open(key, former) }
    }

    @Test(
      "all values are encrypted anew, in rows of subclasses and of deleted models, and the old key opens nothing",
      arguments: [1, 3, 1_000])
    func all(_ batchSize: Int) async throws {
      try fill(7)
      do {
        let context = ModelContext(try open(old))
        let gone = Ledger("gone", body: "kept of the deleted")
        context.insert(gone)
        try context.save()
        context.delete(gone)
        try context.save()
      }
      let container = try open(new, [old])
      let before = try contents(container)
      #expect(try keyCount() == 2)
      let counts = Log<Int64>()
      let progress = StepProgress { counts.add($0.completedUnitCount) }
      // 14 bodies, 7 numbers.
      #expect(try await container.reencrypt(batchSize: batchSize, progress: progress) == 21)
      let seen = counts.entries
      #expect(progress.totalUnitCount == 14 && progress.isFinished && seen == seen.sorted())
      #expect(try keyCount() == 1 && contents(container) == before)
      expectRefused(old)
      expectRefused(old, [other])
      let opened = try open(new)
      #expect(try contents(opened) == before)
      #expect(try await opened.reencrypt() == 0)
      let changes = try ModelContext(opened).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        .flatMap(\.changes)
      let texts = changes.compactMap { change -> String? in
        guard case .delete(let some) = change, let deletion = some as? any HistoryDelete<Ledger> else { return nil }
        return deletion.tombstone[\.body] as? String
      }
      #expect(texts == ["kept of the deleted"])
    }

    @Test("saves meanwhile are kept, and are encrypted with the present key in the end, whichever they used")
    func others() async throws {
      try fill(5)
      let container = try open(new, [old])
      // Another program that has been told of the new key, and still writes with the old one.
      let late = try open(old, [new])
      let (count, failures) = (Counter(), Log<String>())
      let progress = StepProgress { _ in
        let number = count.next()
        guard number <= 6 else { return }
        do {
          for (name, container) in [("mine", container), ("late", late)] {
            let context = ModelContext(container)
            let first = try context.fetch(FetchDescriptor<Ledger>(sortBy: [SortDescriptor(\.title)])).first
            first?.body = "changed by \(name) \(number)"
            context.insert(DeepLedger("added by \(name) \(number)", body: "new"))
            try context.save()
          }
        } catch {
          failures.add("\(error)")
        }
      }
      try await container.reencrypt(batchSize: 3, progress: progress)
      #expect(failures.entries == [])
      let found = try contents(open(new))
      #expect(found.filter { $0.hasPrefix("added by") }.count == 12 && found.count == 22)
      #expect(found.contains { $0.contains("changed by late 6") })
    }

    @Test("a value that no key opens ends it and says where it is; what was done stays, and the next call goes on")
    func failure() async throws {
      try fill(3)
      let before = try contents(open(old))
      let server = try store.catalog().connection
      try server.execute("CREATE TABLE kept AS SELECT body FROM \"Ledger\" WHERE _osd_key = 5")
      try server.execute("UPDATE \"Ledger\" SET body = decode('01020304', 'hex') WHERE _osd_key = 5")
      let container = try open(new, [old])
      for size in [2, 4] {
        let error = await #expect(throws: SwiftDataError.corruptValue) {
          try await container.reencrypt(batchSize: size)
        }
        #expect(error?.explanation?.contains("Ledger.body of row 5") == true)
      }
      #expect(try keyCount() == 2)
      try server.execute("UPDATE \"Ledger\" SET body = (SELECT body FROM kept) WHERE _osd_key = 5")
      let values = try await container.reencrypt(batchSize: 2)
      #expect(values > 0 && values < 9)
      #expect(try contents(open(new)) == before)
    }

    @Test("a container that may not save reads with former keys, and changes nothing")
    func readOnly() async throws {
      try fill(1)
      let container = try open(new, [old], allowsSave: false)
      #expect(try contents(container).count == 2)
      await #expect(throws: SwiftDataError.storeReadOnly) { try await container.reencrypt() }
      #expect(try keyCount() == 1)
    }

    @Test("what contexts hold keeps its values, and what waits to be saved is no conflict")
    func contexts() async throws {
      try fill(2)
      let container = try open(new, [old])
      let context = ModelContext(container)
      context.conflictPolicy = .throwError
      let ledger = try #require(
        try context.fetch(FetchDescriptor<Ledger>(predicate: #Predicate { $0.title == "plain 1" })).first)
      ledger.body = "pending"
      try await container.reencrypt()
      #expect(ledger.hasChanges)
      try context.save()
      #expect(try contents(open(new)).contains("plain 1 pending -1"))
    }
  }
#endif
