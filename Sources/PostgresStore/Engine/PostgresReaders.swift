#if PostgreSQL
  import PersistenceSupport
  import Synchronization

  /// Standbys that answer reads instead of the primary server. Thread-safe.
  ///
  /// A standby lags behind the primary server. It is asked for its replay position, unless it is known to have reached
  /// the required one. If it has not, or is unreachable, another standby or the primary server answers the read.
  final class PostgresReaders: Sendable {
    private struct Reader: Sendable {
      let pool: PostgresPool
      let failure: Setback
    }

    /// When a standby was last unreachable; nil if never.
    private final class Setback: Sendable {
      let time = Lock<ContinuousClock.Instant?>(nil)
    }

    /// How long an unreachable standby is not tried again. An attempt may take the whole connection timeout.
    private static let pause: Duration = .seconds(5)

    private let readers: [Reader]
    /// Whether reads must see this program's commits, and those of which it was notified.
    let seesOwnWrites: Bool
    /// The log position that a standby must have reached before it answers a read.
    private let position = Atomic<UInt64>(0)
    private let turn = Atomic<Int>(0)

    /// - Parameter start: The primary server's log position after the store was opened, and possibly created.
    init(_ pools: [PostgresPool], seesOwnWrites: Bool, start: PostgresPosition?) {
      readers = pools.map { Reader(pool: $0, failure: Setback()) }
      self.seesOwnWrites = seesOwnWrites
      if let start { position.store(start.number, ordering: .releasing) }
    }

    /// Raises the log position that all later reads must see.
    func note(_ reached: PostgresPosition?) {
      guard seesOwnWrites, let reached else { return }
      position.max(reached.number, ordering: .acquiringAndReleasing)
    }

    /// Returns a session of a standby that has reached the required position; nil if there is none.
    ///
    /// If all sessions of a standby are in use, another standby or the primary server answers the read.
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
        // All sessions of the standby are in use.
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

  /// A position in a server's write-ahead log. A standby that has reached it shows all commits before it.
  package struct PostgresPosition: Sendable, Hashable {
    let number: UInt64

    static let start = PostgresPosition(number: 0)

    private init(number: UInt64) {
      self.number = number
    }

    /// Parses a position: two hexadecimal numbers, separated by a slash.
    package init?(_ text: String?) {
      let parts = (text ?? "").split(separator: "/").compactMap { UInt64($0, radix: 16) }
      guard parts.count == 2, parts[1] <= UInt64(UInt32.max), parts[0] <= UInt64(UInt32.max) else { return nil }
      number = parts[0] << 32 | parts[1]
    }
  }

  extension PostgresConnection {
    /// The SQL expression for the server's log position. All commits so far are before it.
    static let positionExpression = """
      (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END)::text
      """

    func position() throws -> PostgresPosition? {
      PostgresPosition(try run(PostgresStatement("SELECT \(Self.positionExpression)")).text(0, 0))
    }
  }
#endif
