import BenchmarkCore

extension Budget {
  /// The maximum ratio of the time of each phase of a situation to that of hand-written code.
  ///
  /// The limit is 1.5 wherever hand-written code does the same work: the same statements in the same transactions, with
  /// objects of the same fields. It is above the limits of 1.25 and 1.4 of the main table, because a program does not
  /// spend most of its time in these situations. It also holds for contexts that come and go: hand-written code has no
  /// contexts, but a program that creates one for each request must not pay half as much again for the request.
  ///
  /// With undo, the library does work of another kind: before the first change of each object it records the former
  /// value, and it keeps the records of all saves. Hand-written code keeps nothing. The limit of 2 consists of 1.4 for
  /// the save, as for the workload `update`, and of 0.6 for the record. In a row of 0.65 µs, 0.6 are 0.4 µs: the time of
  /// a few allocations, and not of a copy of the object.
  static func of(_ situation: Situation) -> Budget {
    switch situation {
    case .shortContexts, .secondContext, .manyRegistered, .inheritance, .composites, .externalValues:
      Budget(goal: 1.25, limit: 1.5)
    case .undo:
      Budget(goal: 1.6, limit: 2)
    }
  }
}
