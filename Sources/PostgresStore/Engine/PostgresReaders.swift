#if PostgreSQL
  import PersistenceSupport
  import Synchronization

  /// Standbys that answer reads in place of the server that writes. Thread-safe.
  ///
  /// A standby shows what was committed some time ago. A standby is asked how much of the log it has replayed, unless that is known to be
  /// enough. If it is behind, or cannot be reached, the server that writes answers.
  final class PostgresReaders: Sendable {
    /// A standby.
    private struct Reader: Sendable {
      let pool: PostgresPool
      let failure: Setback
    }

    /// When a standby was away last.
    private final class Setback: Sendable {
      let time = Lock<ContinuousClock.Instant?>(nil)
    }

    /// One that was away is not asked again for some time: asking takes up to the time-out of a connection.
    private static let pause: Duration = .seconds(5)

    private let readers: [Reader]
    /// Whether reads see the commits of this program, and those that it has been notified of.
    let seesOwnWrites: Bool
    /// What a standby must have reached, as a place in the log of the server.
    private let position = Atomic<UInt64>(0)
    private let turn = Atomic<Int>(0)

    /// - Parameter start: How far the server was when the store was opened: it may just have been made, or migrated.
    init(_ pools: [PostgresPool], seesOwnWrites: Bool, start: PostgresPosition?) {
      readers = pools.map { Reader(pool: $0, failure: Setback()) }
      self.seesOwnWrites = seesOwnWrites
      if let start { position.store(start.number, ordering: .releasing) }
    }

    /// What reads have to see from now on.
    func note(_ reached: PostgresPosition?) {
      guard seesOwnWrites, let reached else { return }
      position.max(reached.number, ordering: .acquiringAndReleasing)
    }

    /// Hands over a session of a standby that has come far enough; nil if none has.
    ///
    /// Nothing is waited for: where all sessions are in use, the server that writes is the next to ask.
    func take() -> ReadLease? {
      let first = turn.add(1, ordering: .relaxed).newValue
      for index in readers.indices {
        let reader = readers[(first % readers.count + index) % readers.count]
        let isAway = reader.failure.time.withLock { $0.map { $0.duration(to: .now) < Self.pause } ?? false }
        if !isAway, let session = session(of: reader) { return ReadLease(session, of: reader.pool) }
      }
      return nil
    }

    private func session(of reader: Reader) -> PostgresSession? {
      do {
        let session = try reader.pool.take()
        do {
          if try isFarEnough(session) { return session }
        } catch {
          reader.pool.giveBack(session)
          throw error
        }
        reader.pool.giveBack(session)
      } catch let error as SwiftDataError where error == .storeBusy {
        // All of its sessions are in use.
      } catch {
        reader.failure.time.withLock { $0 = .now }
      }
      return nil
    }

    private func isFarEnough(_ session: PostgresSession) throws -> Bool {
      let needed = position.load(ordering: .acquiring)
      if session.position.number >= needed { return true }
      guard let reached = try session.connection.position() else { return false }
      session.position = reached
      return reached.number >= needed
    }

    func close() {
      for reader in readers { reader.pool.close() }
    }
  }

  /// A place in the log of a server: what stands before it is committed, and on a standby can be seen.
  package struct PostgresPosition: Sendable, Hashable {
    let number: UInt64

    static let start = PostgresPosition(number: 0)

    private init(number: UInt64) {
      self.number = number
    }

    /// Two numbers in hexadecimal digits, with a slash in between.
    package init?(_ text: String?) {
      let parts = (text ?? "").split(separator: "/").compactMap { UInt64($0, radix: 16) }
      guard parts.count == 2, parts[1] <= UInt64(UInt32.max), parts[0] <= UInt64(UInt32.max) else { return nil }
      number = parts[0] << 32 | parts[1]
    }
  }

  extension PostgresConnection {
    /// An expression: how far the server has come. What is committed is before it.
    static let positionExpression = """
      (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END)::text
      """

    func position() throws -> PostgresPosition? {
      PostgresPosition(try run(PostgresStatement("SELECT \(Self.positionExpression)")).text(0, 0))
    }
  }
#endif
