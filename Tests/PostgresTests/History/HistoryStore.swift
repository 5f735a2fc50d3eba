#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  @Model
  final class Entry {
    @Attribute(.preserveValueOnDeletion) var title: String = ""
    @Attribute(.unique) var code: Int?
    @Relationship(deleteRule: .cascade, inverse: \Line.entry) var lines: [Line] = []

    init(_ title: String) { self.title = title }
  }

  @Model
  final class Line {
    @Attribute(.preserveValueOnDeletion) var text: String = ""
    var entry: Entry?

    init(_ text: String, of entry: Entry) {
      self.text = text
      self.entry = entry
    }
  }

  @Model
  final class Remembered {
    @Attribute(.preserveValueOnDeletion) var text: String = "\u{E4}'\\"
    @Attribute(.preserveValueOnDeletion) var date: Date = Date(timeIntervalSinceReferenceDate: 0.1)
    @Attribute(.preserveValueOnDeletion) var data: Data = Data([0, 1, 255])
    @Attribute(.preserveValueOnDeletion) var decimal: Decimal? = Decimal(string: "12345678901234567890.5")
    @Attribute(.preserveValueOnDeletion) var unknown: Decimal = Decimal.nan
    @Attribute(.preserveValueOnDeletion) var identifier: UUID = UUID()
    @Attribute(.preserveValueOnDeletion) var list: [Int] = [3, 1]
    @Attribute(.preserveValueOnDeletion) var real: Double = 0.1 + 0.2
    @Attribute(.preserveValueOnDeletion) var great: Double = Double.infinity
    @Attribute(.preserveValueOnDeletion) var unsigned: UInt64 = UInt64.max
    @Attribute(.preserveValueOnDeletion) var wide: Int64 = Int64.min
    @Attribute(.preserveValueOnDeletion) var missing: String?
    var other: String = "gone"

    init() {}
  }

  /// A store with a history. Each container that a test opens acts as another process.
  struct HistoryStore {
    typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

    let cluster: TestCluster
    let namespace = "History \(UUID().uuidString)"
    private let history: ModelConfiguration.History

    init(_ history: ModelConfiguration.History = .standard) throws {
      cluster = try TestCluster.shared.get()
      self.history = history
    }

    /// - Parameter recorder: Records the statements of the container.
    func container(
      _ history: ModelConfiguration.History? = nil, url: String? = nil, recorder: LogRecorder? = nil
    ) throws -> ModelContainer {
      var configuration = PostgresConfiguration(url ?? cluster.url)
      configuration.namespace = namespace
      configuration.maximumConnections = 4
      configuration.saveRetries = 50
      configuration.history = history ?? self.history
      configuration.slowStatementLog = recorder.map {
        ModelConfiguration.SlowStatementLog(threshold: .zero, logger: $0.logger())
      }
      return try ModelContainer(for: Entry.self, Line.self, Remembered.self, configurations: configuration)
    }

    /// A context with its own container and an author.
    func context(_ author: String) throws -> ModelContext {
      let context = ModelContext(try container())
      context.author = author
      return context
    }

    func run(_ sql: String) throws { try cluster.connect().execute("SET search_path = \"\(namespace)\"; \(sql)") }

    /// Runs the statement, and returns the integers in its first column.
    func numbers(_ sql: String) throws -> [Int64] {
      let connection = try cluster.connect()
      try connection.execute("SET search_path = \"\(namespace)\"")
      let result = try connection.run(PostgresStatement(sql))
      return (0..<result.rowCount).compactMap { result.integer($0, 0) }
    }
  }

  extension ModelContext {
    /// Inserts an entry and saves it.
    func add(_ title: String) throws {
      insert(Entry(title))
      try save()
    }

    func transactions(behind token: DefaultHistoryToken? = nil) throws -> [DefaultHistoryTransaction] {
      var descriptor = HistoryStore.Descriptor()
      if let token { descriptor.predicate = #Predicate { $0.token > token } }
      return try fetchHistory(descriptor)
    }

    func authors(behind token: DefaultHistoryToken? = nil) throws -> [String] {
      try transactions(behind: token).map { $0.author ?? "" }
    }

    /// Runs the block. Returns the history token in the notification of the block's last save.
    func savedToken(_ body: () throws -> Void) rethrows -> DefaultHistoryToken? {
      let token = Lock<DefaultHistoryToken?>(nil)
      let observer = NotificationCenter.default.addObserver(
        forName: ModelContext.didSave, object: self, queue: nil
      ) { notification in
        let tokens = notification.userInfo?[ModelContext.NotificationKey.historyTokens] as? [String: any HistoryToken]
        token.withLock { $0 = tokens?.values.first as? DefaultHistoryToken }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try body()
      return token.withLock { $0 }
    }
  }
#endif
