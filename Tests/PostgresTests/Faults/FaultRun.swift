#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceSupport
  import PostgresSupport
  import SeededNumbers
  import Testing

  /// Repeats an operation, each time with a network fault at another message. A soak test covers all messages; an
  /// ordinary run covers a few random ones.
  struct FaultRun {
    /// The name of the operation, for the summary that is printed at the end.
    let what: String
    let faults: [TestProxy.Fault]
    private let seed: UInt64
    /// The number of operations that run at the same time. Each operation spends most of its time waiting.
    private let width: Int

    /// What one operation with a fault did.
    struct Outcome: Sendable {
      /// The errors that the test found after the operation.
      var problems: [String] = []
      /// The category under which the summary counts the operation.
      var end = "done"
      /// True if the fault has happened. It does not happen if the operation ends before the chosen message.
      var hasHappened = true
    }

    /// - Parameters:
    ///   - kinds: The kinds of faults.
    ///   - counts: The numbers of messages of the operation without a fault.
    ///   - few: The number of messages that an ordinary run covers for each kind.
    ///   - step: The distance between two messages that a soak test covers.
    init(
      _ what: String, _ kinds: [TestProxy.Fault.Kind], counts: (requests: Int, answers: Int), milliseconds: UInt32,
      few: Int, step: Int = 1, width: Int = 6
    ) {
      (self.what, self.width) = (what, width)
      seed = RandomTesting.seed
      var random = SeededGenerator(seed: seed)
      var chosen: [TestProxy.Fault] = []
      for kind in kinds {
        let all = [true, false].flatMap { isRequest in
          (0..<(isRequest ? counts.requests : counts.answers)).map {
            TestProxy.Fault(kind, isRequest: isRequest, at: $0, milliseconds: milliseconds)
          }
        }
        let first = Int.random(in: 0..<step, using: &random)
        chosen +=
          RandomTesting.soak > 1
          ? stride(from: first, to: all.count, by: step).map { all[$0] }
          : Array(all.shuffled(using: &random).prefix(few))
      }
      faults = chosen
    }

    /// Runs the operation once for each fault, on separate threads, and expects that it finds no problems.
    ///
    /// - Parameters:
    ///   - limit: The longest time that an operation may take.
    ///   - body: Runs the operation. Returns its outcome and how long the call with the fault took.
    func run(
      within limit: Duration, _ body: @escaping @Sendable (TestProxy.Fault) throws -> (Outcome, Duration)
    ) {
      let results = Lock<[(fault: TestProxy.Fault, outcome: Outcome)]>([])
      let rest = Lock(faults)
      let group = DispatchGroup()
      for _ in 0..<min(width, faults.count) {
        group.enter()
        Thread.detachNewThread {
          defer { group.leave() }
          while let fault = rest.withLock({ $0.popLast() }) {
            let outcome = Self.outcome(of: fault, within: limit, body)
            results.withLock { $0.append((fault, outcome)) }
          }
        }
      }
      group.wait()
      report(results.withLock { $0 })
    }

    private static func outcome(
      of fault: TestProxy.Fault, within limit: Duration, _ body: (TestProxy.Fault) throws -> (Outcome, Duration)
    ) -> Outcome {
      do {
        var (outcome, time) = try body(fault)
        if time > limit { outcome.problems.append("it took \(time), more than \(limit)") }
        return outcome
      } catch {
        return Outcome(problems: ["\(error)"])
      }
    }

    private func report(_ results: [(fault: TestProxy.Fault, outcome: Outcome)]) {
      var counts: [String: Int] = [:]
      for (fault, outcome) in results where outcome.hasHappened {
        counts["\(fault.kind), \(outcome.end)", default: 0] += 1
        RandomTesting.note("messages of a \(what): \(fault.kind)", 1)
      }
      let words = counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "; ")
      print("Faults at messages of a \(what), seed \(seed): \(words)")
      let problems = results.flatMap { result in result.outcome.problems.map { "\(result.fault): \($0)" } }
      #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(10))")
      #expect(results.count == faults.count)
      // Some faults may not happen: the number of messages differs by a few, because the server accepts rows in parts
      // of different sizes.
      let reached = results.count { $0.outcome.hasHappened }
      #expect(reached * 10 >= faults.count * 8 || faults.count - reached <= 2, "only \(reached) of \(faults.count)")
    }
  }

  extension FaultRun {
    /// The numbers of messages of an operation without a fault: the smallest ones of several attempts.
    ///
    /// An attempt may cause additional messages: a fetch on a busy machine first asks the server for a new horizon, and
    /// the connection for notifications sends its first messages soon after the store's first read. Most operations
    /// cause none, so faults at such messages would not happen.
    ///
    /// - Parameter count: Runs the operation, and returns its numbers.
    static func fewestMessages(
      of attempts: Int, _ count: (Int) throws -> (requests: Int, answers: Int)
    ) rethrows -> (requests: Int, answers: Int) {
      try (0..<attempts).map(count).min { $0.requests + $0.answers < $1.requests + $1.answers } ?? (0, 0)
    }
  }

  extension TestProxy {
    /// Runs the block without a fault. Returns the numbers of messages that it caused.
    func counting(_ body: () throws -> Void) rethrows -> (requests: Int, answers: Int) {
      arm(nil)
      try body()
      return counts
    }

    /// Runs the block while the fault is set. Returns its result, its duration, and whether the fault has happened.
    func during<Value>(
      _ fault: Fault?, _ body: () throws -> Value
    ) -> (result: Result<Value, any Error>, time: Duration, hasHappened: Bool) {
      arm(fault)
      let start = ContinuousClock.now
      let result = Result { try body() }
      let time = start.duration(to: .now)
      let hasHappened = !isArmed
      arm(nil)
      return (result, time, hasHappened)
    }
  }
#endif
