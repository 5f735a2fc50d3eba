#if PostgreSQL
  import Foundation
  import PersistenceSupport

  /// Receives the change notifications of other processes, and sends those of this one. Has its own thread and
  /// connection. The changes are rows of a table (``PostgresNewsTable``), which the listener reads. Thread-safe.
  ///
  /// A commit only sets a flag, and the listener sends `NOTIFY` afterwards, at most fifty times a second. A `NOTIFY` in
  /// each transaction would make the server serialise all commits.
  final class PostgresListener: Sendable {
    /// The point up to which the commits of other processes have been read.
    struct Place: Sendable {
      /// All commits that this snapshot includes have been read.
      var snapshot: String
      /// The server run (``PostgresConnection/serverRun``) in which the snapshot was taken.
      var run: String?
      var time: ContinuousClock.Instant
    }

    struct Setup: Sendable {
      let connect: @Sendable () throws -> PostgresConnection
      let table: PostgresNewsTable
      /// Identifies the opened store to which the listener belongs. Notifications with this origin are skipped.
      let origin: Int64
      /// The quoted name of the channel.
      let channel: String
      /// Whether to use `LISTEN`. If not, or if the server does not support it, the table is read at an interval.
      let listens: Bool
      /// The time between two reads of the table without `LISTEN`.
      let interval: Duration
      let mayWrite: Bool
      /// The standbys that answer fetches. Before contexts are notified, the listener records the log position that the
      /// standbys must have reached.
      let readers: PostgresReaders?
      /// Called with the changes of other processes; nil if any row may have changed.
      let receive: @Sendable (PostgresNews?) -> Void
    }

    private struct State {
      var isStopped = false
      var isRung = false
    }

    private static let leastTime: Duration = .milliseconds(20)
    /// Despite `LISTEN`, the table is read at this interval: a program that ends after a commit sends no `NOTIFY`.
    private static let safetyInterval: Duration = .seconds(5)
    private static let removalInterval: Duration = .seconds(60)
    /// If there are more new commits than this, their changes are not read, and all rows count as changed.
    private static let limit = 1_000

    private let setup: Setup
    private let state = Lock(State())
    private let wake: WakePipe

    init(_ setup: Setup) throws {
      self.setup = setup
      wake = try WakePipe()
    }

    func start(at place: Place) {
      Thread.detachNewThread { [self] in run(from: place) }
    }

    /// Makes the listener's thread send a `NOTIFY`.
    func ring() {
      let isNew = state.withLock { state in
        defer { state.isRung = true }
        return !state.isRung
      }
      if isNew { wake.signal() }
    }

    func stop() {
      state.withLock { $0.isStopped = true }
      wake.signal()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    // MARK: The thread

    private func run(from start: Place) {
      var place = start
      var pause = Duration.milliseconds(100)
      // If the store is closed right after it was opened, the connection is never opened.
      wait(for: pause)
      while !isStopped {
        do {
          let connection = try setup.connect()
          defer { connection.close() }
          let isListening = try listen(connection)
          try resume(connection, &place)
          pause = .milliseconds(100)
          try serve(connection, &place, isListening: isListening)
        } catch {
          // The server may be unavailable for a while. The commits of that time are read after the reconnection.
          wait(for: pause)
          pause = min(pause * 2, .seconds(5))
        }
      }
    }

    /// Waits for some time, or until the listener is stopped.
    private func wait(for time: Duration) {
      let deadline = ContinuousClock.now + time
      while !isStopped {
        let rest = ContinuousClock.now.duration(to: deadline)
        guard rest > .zero else { return }
        wake.wait(for: rest)
      }
    }

    private func listen(_ connection: PostgresConnection) throws -> Bool {
      guard setup.listens else { return false }
      do {
        try connection.execute("LISTEN \(setup.channel)")
        return true
      } catch  where connection.isOpen {
        // Standbys do not support `LISTEN`.
        return false
      }
    }

    /// Reads the commits that were made while there was no connection. After a crash or failover of the server, or
    /// after a long time, they cannot be read, and all rows count as changed.
    private func resume(_ connection: PostgresConnection, _ place: inout Place) throws {
      if place.run != nil, place.run == connection.serverRun { return try read(connection, &place) }
      try forget(connection, &place)
    }

    private func forget(_ connection: PostgresConnection, _ place: inout Place) throws {
      place = try Self.place(of: connection, setup.table)
      if let readers = setup.readers, readers.seesOwnWrites { readers.note(try connection.position()) }
      setup.receive(nil)
    }

    static func place(of connection: PostgresConnection, _ table: PostgresNewsTable) throws -> Place {
      let time = ContinuousClock.now
      let snapshot = try connection.run(table.snapshot).text(0, 0) ?? ""
      return Place(snapshot: snapshot, run: connection.serverRun, time: time)
    }

    private func serve(_ connection: PostgresConnection, _ place: inout Place, isListening: Bool) throws {
      let interval = isListening ? Self.safetyInterval : setup.interval
      var lastRing = ContinuousClock.now - Self.leastTime
      var nextRead = ContinuousClock.now + interval
      var nextRemoval = ContinuousClock.now
      while true {
        let now = ContinuousClock.now
        let (isStopped, isRung) = state.withLock { state -> (Bool, Bool) in
          let isDue = state.isRung && now >= lastRing + Self.leastTime
          if isDue { state.isRung = false }
          return (state.isStopped, isDue)
        }
        guard !isStopped else { return }
        if isRung {
          try connection.execute("NOTIFY \(setup.channel)")
          lastRing = now
        }
        if setup.mayWrite, now >= nextRemoval {
          try connection.run(setup.table.removal)
          nextRemoval = now + Self.removalInterval
        }
        if now >= nextRead {
          try read(connection, &place)
          nextRead = .now + interval
        }
        let waitsToRing = state.withLock { $0.isRung }
        let end = waitsToRing ? min(nextRead, lastRing + Self.leastTime) : nextRead
        let isTold = try connection.waitForNotification(
          or: wake, for: ContinuousClock.now.duration(to: min(end, nextRemoval)))
        // The table is read at most once in 10 ms, even if notifications arrive more often.
        if isTold { nextRead = min(nextRead, max(.now, place.time + Self.leastTime / 2)) }
      }
    }

    private func read(_ connection: PostgresConnection, _ place: inout Place) throws {
      // Old entries may already be removed from the table, including some that this listener has not read.
      guard place.time.duration(to: .now) < PostgresNewsTable.patience else { return try forget(connection, &place) }
      let time = ContinuousClock.now
      let asks = setup.readers?.seesOwnWrites == true
      let result = try connection.run(
        setup.table.news(since: place.snapshot, besides: setup.origin, limit: Self.limit + 1, asksForPosition: asks))
      guard let snapshot = result.text(0, 0) else { return }
      (place.snapshot, place.time) = (snapshot, time)
      var news: PostgresNews? = PostgresNews()
      if result.rowCount > Self.limit { news = nil }
      for row in 0..<result.rowCount {
        guard let text = result.text(row, 1) else { continue }
        if let part = PostgresNews(text) { news?.merge(part) } else { news = nil }
      }
      guard news?.isEmpty != true else { return }
      if asks { setup.readers?.note(PostgresPosition(result.text(0, 2))) }
      setup.receive(news)
    }
  }
#endif
