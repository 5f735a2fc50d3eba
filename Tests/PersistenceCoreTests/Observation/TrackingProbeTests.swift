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

/// An object that an observer retains.
private final class Burden: Sendable {}

private func observe(_ burden: Burden, _ read: () -> Void) {
  withObservationTracking(read) { _ = burden }
}

@Suite("Detection of observation tracking")
struct TrackingProbeTests {
  @Test("the probe detects a tracked read, and after two untracked reads it reports no tracking")
  func asking() {
    let painting = Painting("Guernica")
    _ = painting.title
    #expect(!isReadingTracked())
    observe(Burden()) { #expect(isReadingTracked()) }
    _ = painting.title
    #expect(!isReadingTracked())
  }

  // The library tests its probe at the first read of the process, which may be a tracked read.
  @Test("a tracked first read does not make later untracked reads count as tracked")
  func firstTrackedRead() {
    var detects = false
    withObservationTracking({ detects = TrackingProbe.detectsTracking() }, onChange: {})
    #expect(detects)
    #expect(TrackingProbe.detectsTracking())
  }

  /// The annotation of the probe lets the optimiser omit retains and releases around the call, because it releases
  /// nothing.
  @Test("the probe does not release an object that an observer retains, and the object can still be read")
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

  @Test("the first read of a thread is not tracked")
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
