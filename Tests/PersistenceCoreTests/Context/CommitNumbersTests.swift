import Dispatch
import SeededNumbers
import Testing

@testable import PersistenceRuntime
@testable import PersistenceSupport

@Suite("The numbers of known commits, and the counter that assigns them")
struct CommitNumbersTests {
  @Test("the numbers are complete if none is missing, in whatever order they were added")
  func order() {
    var numbers = CommitNumbers(through: 2)
    #expect(numbers.isComplete(through: 2) && !numbers.isComplete(through: 3))
    numbers.insert(5)
    numbers.insert(4)
    #expect(!numbers.isComplete(through: 5))
    numbers.insert(3)
    #expect(numbers.isComplete(through: 5) && !numbers.isComplete(through: 6))
    #expect(numbers.ranges == [0...5])
    numbers.insert(2)
    #expect(numbers.ranges == [0...5])
  }

  @Test("an empty set of numbers is complete if nothing was committed")
  func none() {
    #expect(CommitNumbers().isComplete(through: 0) && !CommitNumbers().isComplete(through: 1))
    #expect(CommitNumbers(through: 0).isComplete(through: 0))
  }

  @Test("the numbers behave as a set")
  func random() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      var (numbers, others, known) = (CommitNumbers(through: 3), CommitNumbers(), Set<Int64>([0, 1, 2, 3]))
      for _ in 0..<Int.random(in: 0..<30, using: &random) {
        let number = Int64.random(in: 1...20, using: &random)
        known.insert(number)
        if Bool.random(using: &random) { numbers.insert(number) } else { others.insert(number) }
      }
      numbers.formUnion(others)
      #expect(Set(numbers.ranges.flatMap { Array($0) }) == known)
      #expect(zip(numbers.ranges, numbers.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
      for last: Int64 in 1...20 { #expect(numbers.isComplete(through: last) == (1...last).allSatisfy(known.contains)) }
    }
  }

  @Test("the settled number of a counter covers only commits that have ended")
  func counter() {
    let counter = CommitCounter()
    #expect(counter.begin() == 1)
    #expect(counter.settled == 0 && counter.latest == 1)
    #expect(counter.begin() == 2)
    counter.end(2)
    counter.end(1)
    #expect(counter.settled == 2 && counter.latest == 2)
  }

  @Test("a counter does not settle a commit while an earlier one is open")
  func openCommits() {
    let counter = CommitCounter()
    for number: Int64 in 1...6 { #expect(counter.begin() == number) }
    for number: Int64 in [1, 4, 3] { counter.end(number) }
    #expect(counter.settled == 1)
    #expect(counter.ended.ranges == [0...1, 3...4])
    counter.end(2)
    #expect(counter.settled == 4)
    counter.end(6)
    #expect(counter.settled == 4 && counter.ended.ranges == [0...4, 6...6])
    counter.end(5)
    #expect(counter.settled == 6 && counter.ended.ranges == [0...6])
  }

  @Test("a counter settles all commits, even if threads end them out of order")
  func threads() {
    let counter = CommitCounter()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<5_000 {
        let numbers = [counter.begin(), counter.begin(), counter.begin()]
        for number in numbers.reversed() { counter.end(number) }
      }
    }
    #expect(counter.settled == 60_000 && counter.latest == 60_000)
    #expect(counter.ended.ranges == [0...60_000])
  }
}

extension CommitNumbers {
  fileprivate var ranges: [ClosedRange<Int64>] { spans.map { $0.first...$0.last } }
}
