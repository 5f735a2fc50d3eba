#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import Synchronization

  /// The lists that a session reads together with the row of a look-up, in the same round trip.
  ///
  /// A program that looks up models one by one often reads the same list of each model: two round trips for each. After
  /// it has done so twice in a row, the next look-up on the session also reads that list of the new row. The result is
  /// used if the program then asks for the list, and nothing has happened in between (``State``).
  package struct ReadAhead {
    /// What must not have changed between the request of a list and its use. Otherwise a context could miss a change of
    /// which it has been notified, see an older state than in its last read, or compare rows with a horizon from after
    /// they were read.
    package struct State: Equatable {
      /// The number of transactions of this process that have ended.
      private let transactions = ReadAhead.endedTransactions.load(ordering: .acquiring)
      /// The number of notifications of other processes.
      private let news: Int64
      /// The number of times that the server was asked for a horizon (``PostgresHorizon``).
      private let horizons: Int
      /// The number of round trips of the connection.
      fileprivate(set) var roundTrips = 0

      init(news: Int64, horizons: Int) {
        self.news = news
        self.horizons = horizons
      }

      func after(_ roundTrips: Int) -> State {
        var state = self
        state.roundTrips = roundTrips
        return state
      }
    }

    private static let endedTransactions = Atomic<Int>(0)

    /// Called when a transaction has ended, and when the outcome of a commit becomes known, before contexts are notified.
    static func noteEndOfTransaction() { endedTransactions.add(1, ordering: .acquiringAndReleasing) }

    /// A list that was read of a model after the look-up of the model.
    struct Follower {
      let shape: KnownReads.ReadShape
      let read: KnownRead
    }

    /// The look-ups of an entity.
    private struct Habit {
      /// The key of the model that was looked up last.
      var key: Int64
      /// The state and the time of that look-up. The round trips of its lists are added to the state.
      var state: State
      var time: ContinuousClock.Instant
      /// The lists that were read of this model, and those that were read of the model before.
      var followers: [Follower] = []
      var former: [Follower] = []
    }

    private struct Received {
      let shape: KnownReads.ReadShape
      let key: Int64
      let state: State
      let time: ContinuousClock.Instant
      let result: PostgresResult
    }

    /// How long a result may be used. A commit of which the process is not notified is missing in it.
    private static let age: Duration = .milliseconds(10)
    private static let mostFollowers = 4
    private static let mostEntities = 64

    private var habits: [ObjectIdentifier: Habit] = [:]
    private var received: [Received] = []
    /// The entities of which a list could not be read ahead.
    private var refused: Set<ObjectIdentifier> = []

    /// Records that a model is about to be looked up.
    ///
    /// - Parameter state: The state before the look-up, which takes one round trip.
    /// - Returns: The lists to read in the same round trip: those that were read of both models before.
    mutating func lookUp(_ key: Int64, of entity: EntityLayout, _ state: State) -> [Follower] {
      received = []
      let identifier = ObjectIdentifier(entity)
      guard !refused.contains(identifier), habits.count < Self.mostEntities || habits[identifier] != nil else {
        return []
      }
      let former = habits[identifier]
      habits[identifier] = Habit(
        key: key, state: state.after(state.roundTrips + 1), time: .now, former: former?.followers ?? [])
      // A long list is read only if the program asks for it.
      return (former?.followers ?? []).filter { follower in
        follower.read.gaveFew && former?.former.contains { $0.shape == follower.shape } == true
      }
    }

    /// Keeps the results of the lists that were read with a look-up.
    mutating func keep(_ results: some Sequence<PostgresResult>, of followers: [Follower], _ entity: EntityLayout) {
      guard let habit = habits[ObjectIdentifier(entity)] else { return }
      for (follower, result) in zip(followers, results) {
        // A long list that the program does not read would stay in memory.
        guard result.rowCount <= FetchRequest.fewRows else {
          follower.read.note(rowCount: result.rowCount)
          continue
        }
        received.append(
          Received(
            shape: follower.shape, key: habit.key, state: habit.state, time: habit.time, result: result))
      }
    }

    /// Records that a list of one model is read.
    ///
    /// - Returns: The rows of the list if they were read ahead and are not outdated. They are used only once.
    mutating func follow(
      _ key: Int64, of entity: EntityLayout, _ follower: Follower, _ state: State
    ) -> PostgresResult? {
      let identifier = ObjectIdentifier(entity)
      guard let habit = habits[identifier], habit.key == key else { return nil }
      let index = received.firstIndex { $0.key == key && $0.shape == follower.shape }
      guard habit.state == state, habit.time.duration(to: .now) < Self.age else {
        // Reading ahead is of no use to a program that does something else between the look-up and the list.
        habits[identifier] = nil
        received = []
        return nil
      }
      if habit.followers.count < Self.mostFollowers, !habit.followers.contains(where: { $0.shape == follower.shape }) {
        habits[identifier]?.followers.append(follower)
      }
      guard let index else {
        habits[identifier]?.state.roundTrips += 1
        received = []
        return nil
      }
      return received.remove(at: index).result
    }

    /// Reads no lists of an entity ahead any more: one of them could not be read.
    mutating func refuse(_ entity: EntityLayout) {
      refused.insert(ObjectIdentifier(entity))
      habits[ObjectIdentifier(entity)] = nil
    }

    /// Frees the lists that were read ahead, because the session now does something else.
    mutating func forget() { received = [] }
  }
#endif
