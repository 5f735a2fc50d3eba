import BenchmarkCore

extension Budget {
  /// The maximum ratio of the time of each phase of a situation to that of hand-written code.
  ///
  /// The limit is 1.5 wherever hand-written code does the same work: the same statements in the same transactions, with
  /// objects of the same fields. It is above the limits of 1.25 and 1.4 of the main table, because a program does not
  /// spend most of its time in these situations. It also holds for contexts that come and go: hand-written code has no
  /// contexts, but a program that creates one for each request must not pay half as much again for the request. For
  /// encrypted texts, both use the same cipher for the same bytes, and the cipher takes most of the time.
  ///
  /// With undo, the library does work of another kind: before the first change of each object it records the former
  /// value, and it keeps the records of all saves. Hand-written code keeps nothing. The limit of 2 consists of 1.4 for
  /// the save, as for the workload `update`, and of 0.6 for the record. In a row of 0.65 µs, 0.6 are 0.4 µs: the time
  /// of a few allocations, and not of a copy of the object.
  ///
  /// An object's properties are compared with those of an `@Observable` class, because a model's properties can be
  /// observed too. A program that turns such a class into a model should not pay for it with each read: the limit is 1.
  ///
  /// With concurrent readers and a writer, the throughput has the limit of 1.5, because the statements are the same.
  /// The 99th percentile has a limit of 2. On a machine with fewer processors than threads, it depends on how often the
  /// system interrupts a thread, and differs by a third from run to run.
  static func of(_ situation: Situation, phase: Int) -> Budget {
    switch situation {
    case .shortContexts, .secondContext, .manyRegistered, .inheritance, .composites, .externalValues, .encryption:
      Budget(goal: 1.25, limit: 1.5)
    case .observedProperties:
      Budget(goal: 0.8, limit: 1)
    case .undo:
      Budget(goal: 1.6, limit: 2)
    case .entities:
      ofEntities[min(phase, ofEntities.count - 1)]
    case .readersAndWriter:
      phase.isMultiple(of: 2) ? Budget(goal: 1.25, limit: 1.5) : Budget(goal: 1.5, limit: 2)
    }
  }

  /// The limits of the three openings of a large schema.
  ///
  /// Hand-written code contains the text of its tables and the number of their version. The library computes both from
  /// the types of the program, and compares the whole schema with that of the file. So the ratios cannot be near 1, and
  /// the limits are derived from the time that a program may lose: hand-written code takes 39, 5 and 3.4 µs for each of
  /// the 200 entities.
  ///
  /// A new file is created once. With a limit of 4, the computations take no more than three times as long as the work
  /// of SQLite itself, and a file of 200 entities is ready after 31 ms. The first opening is a part of each start of a
  /// program, of which the user should not notice anything: the limit of 25 allows 25 ms, a frame and a half on a
  /// screen. Another opening in the same process, such as that of a document, only has to find that the schema has not
  /// changed: the limit of 10 allows 7 ms.
  private static let ofEntities = [
    Budget(goal: 2, limit: 4), Budget(goal: 10, limit: 25), Budget(goal: 5, limit: 10),
  ]
}
