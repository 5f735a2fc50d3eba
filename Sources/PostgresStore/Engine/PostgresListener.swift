#if PostgreSQL
  import Foundation
  import PersistenceSupport

  /// Receives change notifications of other processes and sends its own, on one thread and connection. Thread-safe.
  ///
  /// A commit only sets a flag, since a notification in each transaction would serialise all commits. The listening
  /// connection sends the notification, at most fifty times a second.
  final class PostgresListener: Sendable {
    /// The position up to which the commits of other processes are known.
    struct Place: Sendable {
      /// The snapshot whose commits are known.
      var snapshot: String
      /// The run of the server in which it was taken.
      var run: String?
      var time: ContinuousClock.Instant
    }

    struct Setup: Sendable {
      let connect: @Sendable () throws -> PostgresConnection
      let table: PostgresNewsTable
      /// The opened store that listens; its own notifications are skipped.
      let origin: Int64
      /// The channel, quoted.
      let channel: String
      /// Whether to listen. If not, or if the server does not support it, the table is read at intervals.
      let listens: Bool
      /// The time between two reads of the table while no notification arrives.
      let interval: Duration
      let mayWrite: Bool
      /// Standbys, which must have replayed a commit before contexts are notified of it.
      let readers: PostgresReaders?
      /// Receives notifications; nil if anything may have changed.
      let receive: @Sendable (PostgresNews?) -> Void
    }

    private struct State {
      var isStopped = false
      var isRung = false
    }

    private static let leastTime: Duration = .milliseconds(20)
    /// The table is also read at this interval: a program that ends right after a commit sends no notification.
    private static let safetyInterval: Duration = .seconds(5)
    private static let removalInterval: Duration = .seconds(60)
    /// If there are more new commits than this, anything may have changed.
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

    /// Makes the thread send a notification.
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
      // A store that is closed at once needs no connection.
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
          // The server may be unavailable for a while. Nothing is missed: commits in that time are read afterwards.
          wait(for: pause)
          pause = min(pause * 2, .seconds(5))
        }
      }
    }

    /// Waits for some time, or until the end.
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
        // A standby does not support LISTEN.
        return false
      }
    }

    /// Reads the commits made while there was no connection. After a crash or failover of the server, and after a long
    /// time, these commits are unknown.
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
        // However often notifications arrive, the table is read at most once per half of `leastTime`.
        if isTold { nextRead = min(nextRead, max(.now, place.time + Self.leastTime / 2)) }
      }
    }

    private func read(_ connection: PostgresConnection, _ place: inout Place) throws {
      // Entries that were removed in the meantime cannot be read.
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
