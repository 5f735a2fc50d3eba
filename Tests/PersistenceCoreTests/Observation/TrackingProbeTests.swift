import Foundation
import Observation
import PersistenceCore
import Testing

@testable import PersistenceContext
@testable import PersistenceRuntime
@testable import PersistenceSupport

@Model
private final class Painting {
  var title: String
  init(_ title: String) { self.title = title }
}

/// What an observer holds.
private final class Burden: Sendable {}

private func observe(_ burden: Burden, _ read: () -> Void) {
  withObservationTracking(read) { _ = burden }
}

@Suite("Detection of observation tracking")
struct TrackingProbeTests {
  @Test("asking says yes while reading is tracked, and the second of two reads that are not says no")
  func asking() {
    let painting = Painting("Guernica")
    _ = painting.title
    #expect(!isReadingTracked())
    observe(Burden()) { #expect(isReadingTracked()) }
    _ = painting.title
    #expect(!isReadingTracked())
  }

  // The test of the library runs with the first read of the process, wherever that is.
  @Test("a first read that is tracked does not make all later reads count as tracked")
  func firstTrackedRead() {
    var detects = false
    withObservationTracking({ detects = TrackingProbe.detectsTracking() }, onChange: {})
    #expect(detects)
    #expect(TrackingProbe.detectsTracking())
  }

  /// What the optimiser is promised: it may leave out what keeps an object alive while it is asked.
  @Test("the probe releases no object that an observer retains; reading does")
  func promise() {
    let painting = Painting("Guernica")
    _ = painting.title
    weak var burden: Burden?
    do {
      let held = Burden()
      burden = held
      observe(held) { _ = isReadingTracked() }
    }
    #expect(burden != nil)
    for _ in 0..<10 { _ = isReadingTracked() }
    #expect(burden != nil)
    _ = painting.title
    #expect(burden == nil)
  }

  @Test("a thread's first read is not tracked")
  func firstRead() async {
    await withCheckedContinuation { continuation in
      Thread {
        let painting = Painting("Guernica")
        #expect(painting.title == "Guernica")
        #expect(!isReadingTracked())
        #expect(painting._$state.pointee.observation == nil)
        continuation.resume()
      }.start()
    }
  }
}
