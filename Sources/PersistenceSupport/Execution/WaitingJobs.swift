/// A priority queue of executor jobs, as a binary heap. Jobs of equal priority are first in, first out.
package struct WaitingJobs {
  private struct Entry {
    let job: UnownedJob
    let urgency: UInt8
    let arrival: UInt64

    func isBefore(_ other: Entry) -> Bool {
      urgency == other.urgency ? arrival < other.arrival : urgency > other.urgency
    }
  }

  private var heap: ContiguousArray<Entry> = []
  private var arrivals: UInt64 = 0

  package init() {}

  var count: Int { heap.count }

  package mutating func add(_ job: UnownedJob) {
    heap.append(Entry(job: job, urgency: job.priority.rawValue, arrival: arrivals))
    arrivals += 1
    rise(heap.count - 1)
  }

  package mutating func next() -> UnownedJob? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink(0)
    }
    return first.job
  }

  private mutating func rise(_ start: Int) {
    var index = start
    while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var child = 2 * index + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(heap[index]) else { return }
      heap.swapAt(index, child)
      index = child
    }
  }
}
