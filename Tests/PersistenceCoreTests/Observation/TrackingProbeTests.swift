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

/// An object that an observer's closure retains.
private final class Burden: Sendable {}

private func observe(_ burden: Burden, _ read: () -> Void) {
  withObservationTracking(read) { _ = burden }
}

@Suite("The probe that detects whether a property is read inside withObservationTracking")
struct TrackingProbeTests {
  @Test("the probe detects a tracked read, and reports no tracking for the untracked reads before and after it")
  func asking() {
    let painting = Painting("Guernica")
    _ = painting.title
    #expect(!isReadingTracked())
    observe(Burden()) { #expect(isReadingTracked()) }
    _ = painting.title
    #expect(!isReadingTracked())
  }

  // The library checks at the first read in the process whether its probe works. This read may itself be tracked.
  @Test("if the first read in the process is tracked, later untracked reads do not count as tracked")
  func firstTrackedRead() {
    var detects = false
    withObservationTracking({ detects = TrackingProbe.detectsTracking() }, onChange: {})
    #expect(detects)
    #expect(TrackingProbe.detectsTracking())
  }

  /// The probe's declaration promises the optimiser that the call releases no object. The optimiser may therefore omit
  /// retains and releases around the call, so the promise must hold.
  @Test("the probe does not release an object that an observer's closure retains")
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

  @Test("the first read on a new thread does not count as tracked")
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
