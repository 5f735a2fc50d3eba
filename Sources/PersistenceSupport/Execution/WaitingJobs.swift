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
    var place = start
    while place > 0, heap[place].isBefore(heap[(place - 1) / 2]) {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func sink(_ start: Int) {
    var place = start
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(heap[place]) else { return }
      heap.swapAt(place, child)
      place = child
    }
  }
}
