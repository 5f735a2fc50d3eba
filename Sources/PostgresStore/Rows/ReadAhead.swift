#if PostgreSQL
  import PersistenceRuntime

  /// The relationships that a session reads together with the row of a look-up, in the same round trip.
  ///
  /// A program that looks up models one by one often reads the same list of each model: two round trips for each. After
  /// it has done so twice in a row, the next look-up on the session also reads that list of the new row. The result is
  /// used if the program then asks for the list, and nothing has happened in between (``Version``).
  package struct ReadAhead {
    /// What must be the same when a result is used and when it was requested: otherwise a context could miss a change
    /// that it was already notified of, or could compare rows with a horizon from after they were read.
    package struct Version: Equatable {
      /// The number of transactions of this engine that have ended.
      var transactions = 0
      /// The number of notifications of other processes.
      var news: Int64 = 0
      /// The number of times that the server was asked for a horizon (``PostgresHorizon``).
      var horizons = 0
    }

    /// A list that was read of a model after the look-up of the model.
    struct Follower {
      let shape: KnownReads.ReadShape
      let read: KnownRead
    }

    private struct Habit {
      /// The model that was looked up last.
      var key: Int64
      /// The lists that were read of this model, and those that were read of the model before.
      var followers: [Follower] = []
      var former: [Follower] = []
    }

    private struct Received {
      let shape: KnownReads.ReadShape
      let key: Int64
      let version: Version
      let time: ContinuousClock.Instant
      let result: PostgresResult
    }

    /// How long a result may be used. A commit that the process is not notified of is missing in it.
    private static let age: Duration = .milliseconds(10)
    private static let mostFollowers = 4
    private static let mostEntities = 64

    private var habits: [ObjectIdentifier: Habit] = [:]
    private var received: [Received] = []

    /// Records that a model is looked up.
    ///
    /// - Returns: The lists to read in the same round trip: those that were read of both models before.
    mutating func lookUp(_ key: Int64, of entity: EntityLayout) -> [Follower] {
      received = []
      let identifier = ObjectIdentifier(entity)
      guard var habit = habits[identifier] else {
        if habits.count < Self.mostEntities { habits[identifier] = Habit(key: key) }
        return []
      }
      let followers = habit.followers.filter { follower in
        // A long list is read only if the program asks for it.
        follower.read.gaveFew && habit.former.contains { $0.shape == follower.shape }
      }
      habit = Habit(key: key, former: habit.followers)
      habits[identifier] = habit
      return followers
    }

    /// Records that a list of one model is read.
    mutating func follow(_ key: Int64, of entity: EntityLayout, _ follower: Follower) {
      guard var habit = habits[ObjectIdentifier(entity)], habit.key == key, habit.followers.count < Self.mostFollowers
      else { return }
      habit.followers.append(follower)
      habits[ObjectIdentifier(entity)] = habit
    }

    /// Keeps the results of the lists that were read with a look-up.
    mutating func keep(
      _ results: some Sequence<PostgresResult>, of followers: [Follower], _ key: Int64, _ version: Version
    ) {
      let time = ContinuousClock.now
      received = zip(followers, results).map { follower, result in
        Received(shape: follower.shape, key: key, version: version, time: time, result: result)
      }
    }

    /// The result of a list that was read ahead; nil if there is none, or if it may be outdated. It is used only once.
    mutating func take(_ shape: KnownReads.ReadShape, of key: Int64, _ version: Version) -> PostgresResult? {
      guard let index = received.firstIndex(where: { $0.key == key && $0.shape == shape }) else { return nil }
      let found = received.remove(at: index)
      guard found.version == version, found.time.duration(to: .now) < Self.age else { return nil }
      return found.result
    }

    /// Forgets the habit of an entity: a list could not be read ahead.
    mutating func stop(_ entity: EntityLayout) { habits[ObjectIdentifier(entity)] = nil }
  }
#endif
