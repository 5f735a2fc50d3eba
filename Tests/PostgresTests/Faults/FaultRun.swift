#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceSupport
  import PostgresSupport
  import SeededNumbers
  import Testing

  /// Repeats an operation with a fault at another message each time: at all messages in a soak test, at a few random
  /// ones otherwise.
  struct FaultRun {
    /// The name of the operation, for the line at the end.
    let what: String
    let faults: [TestProxy.Fault]
    private let seed: UInt64
    /// The number of concurrent operations. Each operation waits most of its time.
    private let width: Int

    /// The outcome of one operation.
    struct Outcome: Sendable {
      /// The problems found.
      var problems: [String] = []
      /// The category in which the outcome is counted.
      var end = "done"
      /// Whether the fault has happened: an operation may end before the message.
      var hasHappened = true
    }

    /// - Parameters:
    ///   - kinds: The kinds of faults.
    ///   - counts: The numbers of messages without a fault.
    ///   - few: The number of messages for each kind, in an ordinary run.
    ///   - step: The distance between two messages with a fault, in a soak test.
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

    /// Runs the operation with each fault, on threads of their own, and expects no problems.
    ///
    /// - Parameters:
    ///   - limit: The time limit of each operation.
    ///   - body: Runs the operation. Returns its outcome and the duration of the call with the fault.
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
      // The number of messages may differ by a few: rows are sent in parts, as the server accepts them.
      let reached = results.count { $0.outcome.hasHappened }
      #expect(reached * 10 >= faults.count * 8 || faults.count - reached <= 2, "only \(reached) of \(faults.count)")
    }
  }

  extension TestProxy {
    /// Runs a block with a fault, and measures it.
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
