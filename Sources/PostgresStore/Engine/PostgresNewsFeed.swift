#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine
  import Synchronization

  /// Notifies other processes of the commits of a store, and receives their notifications. Thread-safe.
  ///
  /// The feed starts to listen at the first read or transaction: before, no context has rows that could become stale.
  final class PostgresNewsFeed: Sendable {
    /// Identifies the sender in this store's notifications: a random number that is chosen when the store is opened.
    let origin: Int64
    let table: PostgresNewsTable
    let queue = PostgresNewsQueue()
    private let listener: PostgresListener
    /// The minimum interval: an interval of zero would query the server continuously.
    private static let leastInterval: Duration = .milliseconds(10)
    private let isStarted = Atomic<Bool>(false)

    /// - Parameters:
    ///   - channel: The name of the store's notification channel.
    ///   - polling: The time between two reads of the table; nil to listen for notifications.
    ///   - mayWrite: Whether old entries may be removed from the table.
    ///   - readers: The standbys that answer fetches.
    ///   - connect: Creates the listening connection.
    init(
      _ table: PostgresNewsTable, channel: String, polling: Duration?, mayWrite: Bool, readers: PostgresReaders? = nil,
      connect: @escaping @Sendable () throws -> PostgresConnection
    ) throws {
      self.table = table
      origin = Int64.random(in: .min ... .max)
      listener = try PostgresListener(
        PostgresListener.Setup(
          connect: connect, table: table, origin: origin, channel: table.dialect.quoted("osd " + channel),
          listens: polling == nil, interval: max(polling ?? .seconds(1), Self.leastInterval), mayWrite: mayWrite,
          readers: readers, receive: { [queue] in queue.receive($0) }))
    }

    /// Starts to listen, unless it already has. From then on, it receives all changes of rows that the session reads.
    ///
    /// - Parameter session: A session without a transaction.
    func begin(_ session: PostgresSession) throws {
      guard !isStarted.load(ordering: .acquiring) else { return }
      let place = try PostgresListener.place(of: session.connection, table)
      // If several threads run this at once, any of their snapshots suffices: none of the threads has read a row yet.
      if !isStarted.exchange(true, ordering: .acquiringAndReleasing) { listener.start(at: place) }
    }

    /// Whether the feed has started to listen.
    var hasBegun: Bool { isStarted.load(ordering: .acquiring) }

    func didCommit() { listener.ring() }

    func stop() { listener.stop() }
  }

  /// The notifications that no context has processed yet. Thread-safe.
  final class PostgresNewsQueue: Sendable {
    /// A notification with its number, or several merged notifications with the range of their numbers.
    private struct Batch {
      var numbers: ClosedRange<Int64>
      /// Nil if any row may have changed.
      var news: PostgresNews?
    }

    private let batches = Lock<[Batch]>([])
    private let last = Atomic<Int64>(0)
    /// The maximum number of rows in the queue, which grows while no context fetches. If there are more, the queue only
    /// records that any row may have changed.
    private static let limit = 10_000

    /// The number of notifications received so far.
    var count: Int64 { last.load(ordering: .acquiring) }

    /// - Parameter news: The changes; nil if any row may have changed.
    func receive(_ news: PostgresNews?) {
      batches.withLock { batches in
        let number = last.load(ordering: .relaxed) + 1
        batches.append(Batch(numbers: number...number, news: news))
        let rows = batches.reduce(0) { $0 + ($1.news?.count ?? 0) + 1 }
        if rows > Self.limit, let first = batches.first {
          batches = [Batch(numbers: first.numbers.lowerBound...number, news: nil)]
        }
        last.store(number, ordering: .releasing)
      }
    }

    /// Removes and returns the changes of a range of notifications; nil if some of them are unknown.
    func take(after first: Int64, through last: Int64) -> PostgresNews? {
      batches.withLock { batches in
        let taken = batches.prefix { $0.numbers.lowerBound <= last }
        batches.removeFirst(taken.count)
        guard taken.first?.numbers.lowerBound == first + 1 else { return nil }
        var result = PostgresNews()
        for batch in taken {
          guard let news = batch.news else { return nil }
          result.merge(news)
        }
        return result
      }
    }
  }
#endif
