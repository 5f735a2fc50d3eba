#if PostgreSQL
  import Dispatch
  import Foundation
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// A store in a PostgreSQL database.
  package final class PostgresStoreEngine: StoreEngine {
    package let identifier: String
    package let location: String
    package let allowsSave: Bool
    package let saveRetryLimit: Int
    let dialect: PostgresDialect
    let database: DatabaseMapping
    /// Seals encrypted values; nil when nothing is encrypted.
    let cipher: (any ValueCipher)?
    let references: PostgresReferences
    let historyStatements: PostgresHistoryStatements
    /// How long a history is kept; nil if none is.
    let historyLimits: HistoryLimits?
    let historyState = Lock(HistoryProgress())
    /// The settings that each transaction begins with behind a pooler, which does not keep those of a connection.
    let transactionPreparation: [String]
    /// What says that the store still has the schema that it was opened with.
    let mark: PostgresSchemaMark
    /// Whether the engine works in the transaction of a migration, in which its own are nested.
    let isMigrating: Bool
    let pool: PostgresPool
    private let capacity: Int
    private let timeout: Duration
    /// As many as there may be transactions at once: one connection less than there are, since a save asks for keys beside its
    /// transaction.
    private let openings: DispatchSemaphore
    private let blocks = Lock<[String: KeyBlock]>([:])
    /// The texts of the statements of saves.
    let texts = SaveTexts()
    private let uncertain = UncertainCommits()
    /// The news of commits, sent and received; nil if the store exchanges none.
    let news: PostgresNewsFeed?
    /// Standbys for reads; nil where there are none.
    let readers: PostgresReaders?
    /// The reads whose rows are lent.
    let lentReads = LentReads()
    /// When contexts began to read; nil where rows may come from a server, or over a connection, that says nothing of the one that writes.
    let starts: PostgresReadStarts?
    /// How long a save that is run again waits for the server to come back.
    private let connectTimeout: Duration
    /// How many saves ask before they write from now on, and how many it was after the last conflict.
    private let caution = Lock<(rest: Int, length: Int)>((0, 0))
    /// The next key of each table, in a migration.
    let migratedKeys = Lock<[String: Int64]>([:])
    /// The threads that were last in the open transactions.
    private let threads = Lock<[ObjectIdentifier: ThreadIdentity]>([:])

    /// Keys of a table that were taken and are not used.
    private struct KeyBlock {
      var rest: [ClosedRange<Int64>] = []
      /// How many are taken the next time.
      var size = 64
      static let greatestSize = 8_192

      /// Hands out keys, as many of the wanted as there are.
      mutating func take(_ count: Int) -> [ClosedRange<Int64>] {
        var result: [ClosedRange<Int64>] = []
        var missing = Int64(count)
        while missing > 0, let first = rest.first {
          let last = min(first.upperBound, first.lowerBound + missing - 1)
          result.append(first.lowerBound...last)
          missing -= last - first.lowerBound + 1
          rest.removeFirst()
          if last < first.upperBound { rest.insert(last + 1...first.upperBound, at: 0) }
        }
        return result
      }
    }

    /// Opens a store, and makes it when there is none.
    ///
    /// - Parameters:
    ///   - opening: The store.
    ///   - capacity: The most connections, at least two.
    ///   - timeout: How long to wait for one that others have.
    ///   - retries: How often a save is run again after a conflict with another one.
    ///   - propagation: How other processes notice commits.
    ///   - readers: Standbys that answer reads.
    ///   - consistency: What reads of theirs see.
    ///   - history: How long a history is kept; nil if none is.
    /// - Throws: `SwiftDataError` of the store. It is as it was then.
    package init(
      _ opening: PostgresOpening, capacity: Int, timeout: Duration, retries: Int,
      propagation: PostgresConfiguration.Propagation = .automatic, readers: [PostgresSettings] = [],
      consistency: PostgresConfiguration.ReadConsistency = .ownWrites, history: HistoryLimits? = nil
    ) throws {
      let opened = try opening.open()
      identifier = opened.identifier
      location = "\(opened.session.connection.location), schema \(opening.dialect.quoted(opening.dialect.namespace))"
      allowsSave = opening.allowsSave
      saveRetryLimit = max(0, retries)
      dialect = opening.dialect
      cipher = opening.cipher
      mark = opened.mark
      isMigrating = false
      database = opening.memory.database
      references = PostgresReferences(opening.memory.database, dialect: opening.dialect)
      historyStatements = PostgresHistoryStatements(opening.memory.database, dialect: opening.dialect)
      historyLimits = history
      transactionPreparation = opening.settings.transactionPreparation
      connectTimeout = opening.settings.connectTimeout
      let pools = consistency == .primary ? [] : Self.pools(readers, opening, location: location, capacity: capacity)
      let standbys =
        pools.isEmpty
        ? nil
        : PostgresReaders(
          pools, seesOwnWrites: consistency == .ownWrites, start: try opened.session.connection.position())
      self.readers = standbys
      let isDirect = standbys == nil && !opening.settings.isPooled
      starts = isDirect && opening.allowsSave ? PostgresReadStarts() : nil
      news = try Self.feed(opening, channel: opened.identifier, propagation, standbys)
      self.capacity = max(2, capacity)
      self.timeout = timeout
      openings = DispatchSemaphore(value: max(2, capacity) - 1)
      pool = PostgresPool(first: opened.session, capacity: max(2, capacity), timeout: timeout) {
        try opening.openSession()
      }
    }

    private static func pools(
      _ readers: [PostgresSettings], _ opening: PostgresOpening, location: String, capacity: Int
    ) -> [PostgresPool] {
      readers.map { settings in
        PostgresPool(first: nil, location: location, capacity: max(2, capacity), timeout: .milliseconds(1)) {
          try opening.openSession(settings)
        }
      }
    }

    private static func feed(
      _ opening: PostgresOpening, channel: String, _ propagation: PostgresConfiguration.Propagation,
      _ readers: PostgresReaders?
    ) throws -> PostgresNewsFeed? {
      let polling: Duration?
      switch propagation {
      case .off: return nil
      // Poolers of transactions take LISTEN, and forget it.
      case .automatic: polling = opening.settings.isPooled ? .seconds(1) : nil
      case .polling(let interval): polling = interval
      }
      let settings = opening.settings
      return try PostgresNewsFeed(
        PostgresNewsTable(dialect: opening.dialect), channel: channel, polling: polling, mayWrite: opening.allowsSave,
        readers: readers
      ) { try PostgresConnection(settings) }
    }

    /// Works on the store that a session is migrating, in the transaction that is open on it.
    init(migrating session: PostgresSession, identifier: String, location: String, allowsSave: Bool) {
      self.identifier = identifier
      self.location = location
      self.allowsSave = allowsSave
      saveRetryLimit = 0
      dialect = session.dialect
      cipher = session.cipher
      mark = PostgresSchemaMark(number: 0, dialect: session.dialect)
      isMigrating = true
      database = session.database
      references = PostgresReferences(session.database, dialect: session.dialect)
      (capacity, timeout) = (1, .seconds(1))
      openings = DispatchSemaphore(value: 1)
      pool = PostgresPool(sharing: session)
      historyStatements = PostgresHistoryStatements(session.database, dialect: session.dialect)
      historyLimits = nil
      transactionPreparation = []
      connectTimeout = .seconds(1)
      news = nil
      readers = nil
      starts = nil
    }

    package var readerCount: Int { capacity }

    /// How often the idle connections have waited for the server.
    package var roundTrips: Int { pool.roundTrips }

    package func close() {
      news?.stop()
      readers?.close()
      pool.close()
    }

    // MARK: Commits of others

    package var hasForeignCommits: Bool { news != nil }

    package var foreignChangeCount: Int64 { news?.queue.count ?? 0 }

    package func foreignRows(after count: Int64, through last: Int64) -> [ForeignRows]? {
      news?.queue.take(after: count, through: last)?.foreignRows(database)
    }

    // MARK: Differences

    package var keysRise: Bool { false }
    package var isSingleWriter: Bool { false }
    package var readsTexts: Bool { false }

    /// A concurrent transaction was in the way. What violates a rule without one is no such error.
    package func isRetryable(_ error: any Error) -> Bool {
      ((error as? SwiftDataError)?.underlyingError as? PostgresError)?.isRetryable ?? false
    }

    /// The error of a statement that a save has sent without asking before: the save asks when it runs again, so whatever broke a
    /// rule is worth an attempt.
    func asRace(_ error: any Error) -> any Error {
      guard let known = error as? SwiftDataError, let cause = known.underlyingError as? PostgresError,
        cause.isRuleOfRows
      else { return error }
      return SwiftDataError(known.kind, known.explanation ?? "", underlying: cause.asRace)
    }

    /// Whether saves may be sent without asking before. Where every save is refused, each would be sent twice: after each conflict
    /// a number of saves ask first, more after each further one.
    var expectsNoConflict: Bool {
      caution.withLock { caution in
        guard caution.rest > 0 else {
          caution.length = max(0, caution.length - 1)
          return true
        }
        caution.rest -= 1
        return false
      }
    }

    private func noteConflict() {
      caution.withLock { caution in
        caution.length = min(caution.length * 2 + 1, 31)
        caution.rest = caution.length
      }
    }

    /// An error with the words of models: PostgreSQL names its constraints.
    func described(_ error: any Error) -> any Error {
      guard let known = error as? SwiftDataError, let cause = known.underlyingError as? PostgresError,
        cause.isUniqueness, let name = cause.constraint
      else { return error }
      for table in database.tables {
        guard let index = table.indexes.first(where: { $0.name == name }) else { continue }
        let columns = index.columns.map { "\(table.name).\($0)" }.joined(separator: ", ")
        return SwiftDataError(
          known.kind,
          "Another model in the store at \(location) has the same values for \(columns), which must be unique. "
            + "Change one of the two, or fetch the existing model and update it.",
          underlying: cause)
      }
      return error
    }

    // MARK: Keys

    package func takeKeys(
      _ count: Int, for entity: EntityLayout, in transaction: any StoreTransaction
    ) throws -> [ClosedRange<Int64>] {
      if isMigrating { return [try takeMigratedKeys(count, for: entity)] }
      let name = try database.table(for: entity).sequenceName
      let (known, size) = blocks.withLock { blocks -> ([ClosedRange<Int64>], Int) in
        var block = blocks[name] ?? KeyBlock()
        defer { blocks[name] = block }
        return (block.take(count), block.size)
      }
      let missing = count - known.reduce(0) { $0 + $1.count }
      guard missing > 0 else { return known }
      // Without the lock: others may take keys of another table meanwhile.
      let new = try newKeys(max(missing, size), for: entity, in: transaction)
      return known
        + blocks.withLock { blocks in
          var block = blocks[name] ?? KeyBlock()
          // Those of this call first: another one may have put its rest back.
          var own = KeyBlock(rest: [new])
          let taken = own.take(missing)
          block.rest += own.rest
          block.size = max(block.size, min(size * 2, KeyBlock.greatestSize))
          blocks[name] = block
          return taken
        }
    }

    /// Takes keys on the session of a transaction that has sent nothing yet, else on another one: a rollback must not give them back.
    private func newKeys(
      _ count: Int, for entity: EntityLayout, in transaction: any StoreTransaction
    ) throws -> ClosedRange<Int64> {
      guard let transaction = transaction as? PostgresTransaction, let session = transaction.unbegunSession else {
        return try withLiveSession { try $0.takeKeys(count, for: entity) }
      }
      do {
        return try session.takeKeys(count, for: entity)
      } catch  where !session.connection.isOpen {
        throw transaction.lost(by: error)
      }
    }

    /// Runs a block that may run twice, again where its session turns out to be lost: the server may have gone, and another one be there.
    private func withLiveSession<Value>(_ body: (PostgresSession) throws -> Value) throws -> Value {
      lentReads.letGo()
      // Each session that the pool has may be lost.
      for _ in 0..<capacity {
        let session = try pool.take()
        do {
          defer { pool.giveBack(session) }
          return try body(session)
        } catch  where !session.connection.isOpen {}
      }
      return try pool.withSession(body)
    }

    // MARK: Transactions

    package func beginTransaction() throws -> any StoreTransaction { try begin(isRetry: false) }

    package func beginTransaction(retry: Int) throws -> any StoreTransaction {
      // Two that are in each other's way would be so again if both came at once.
      if retry > 0 { usleep(UInt32.random(in: 500...2_000) * UInt32(min(retry, 10))) }
      if retry == 1 { noteConflict() }
      return try begin(isRetry: retry > 0)
    }

    /// - Parameters:
    ///   - isRetry: Whether to wait for a server that is not there: one that was lost may come back, or another one may take over.
    ///   - isReading: Whether it only reads, which a store allows that may not change.
    func begin(isRetry: Bool, isReading: Bool = false) throws -> PostgresTransaction {
      guard allowsSave || isReading else {
        throw SwiftDataError(
          .storeReadOnly, "The store at \(location) was opened without saving. Open it with allowsSave to change it.")
      }
      // It would wait for rows that it has locked itself.
      guard !threads.withLock({ $0.values.contains(.current) }) else {
        throw SwiftDataError(
          .storeBusy,
          "A transaction of this thread is still open on the store. Commit it or roll it back first.")
      }
      lentReads.letGo()
      starts?.settle()
      guard openings.wait(timeout: .now() + .milliseconds(Int(clamping: timeout.milliseconds))) == .success else {
        throw SwiftDataError(
          .storeBusy,
          "\(capacity - 1) transactions on the store at \(location) are open for too long. Try again, or allow more "
            + "connections.")
      }
      do {
        let session = try prepared(waitingForServer: isRetry)
        let transaction = PostgresTransaction(engine: self, session: session, isRetry: isRetry)
        adopt(transaction)
        return transaction
      } catch {
        openings.signal()
        throw error
      }
    }

    /// A session for a transaction. One that turns out to be lost is replaced.
    private func prepared(waitingForServer isWaiting: Bool) throws -> PostgresSession {
      var rest = capacity
      while true {
        let session = try take(waitingForServer: isWaiting)
        do {
          try uncertain.waitForEnds(session, until: ContinuousClock.now + timeout, location: location)
          try news?.begin(session)
          // An answer of COMMIT that is lost is looked up with it.
          _ = session.connection.serverRun
          guard session.connection.isOpen else { throw PostgresPool.lostError(session) }
          return session
        } catch {
          let isLost = !session.connection.isOpen
          pool.giveBack(session)
          rest -= 1
          guard isLost, rest >= 0 else { throw error }
        }
      }
    }

    private func take(waitingForServer isWaiting: Bool) throws -> PostgresSession {
      let deadline = ContinuousClock.now + connectTimeout
      while true {
        do {
          return try pool.take()
        } catch let error as SwiftDataError where error == .storeUnreachable {
          guard isWaiting, ContinuousClock.now < deadline else { throw error }
          usleep(50_000)
        }
      }
    }

    /// Notes that this thread is in a transaction, and no other one any more.
    func adopt(_ transaction: PostgresTransaction) {
      threads.withLock { $0[ObjectIdentifier(transaction)] = .current }
    }

    func transactionDidEnd(_ transaction: ObjectIdentifier, _ session: PostgresSession) {
      threads.withLock { $0[transaction] = nil }
      pool.giveBack(session)
      openings.signal()
    }

    // MARK: Commits of unknown outcome

    /// Notes that the answer of a commit is lost. The next transactions wait for its end.
    func noteUncertain(_ commit: UncertainCommit) -> UncertainCommits.Entry { uncertain.add(commit) }

    /// Finds out what has become of it; nil if the server does not say in time.
    func outcome(of entry: UncertainCommits.Entry) -> UncertainCommit.Outcome? {
      uncertain.outcome(of: entry, until: ContinuousClock.now + timeout, in: pool)
    }

    package func erase(willCommit: () -> Void) throws {
      let transaction = try begin(isRetry: true)
      do {
        try transaction.deleteEverything()
      } catch {
        transaction.rollBack()
        throw error
      }
      willCommit()
      try transaction.commit()
    }
  }
#endif
