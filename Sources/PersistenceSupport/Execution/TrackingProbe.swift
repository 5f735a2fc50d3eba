import Observation
import _CSwiftRuntime

/// Tells whether an observer tracks what the running code reads.
///
/// Observation does not say so, and telling a registrar of every read makes each object that is read hold one. The probe
/// tells one registrar of its own, with a key path that notes when it is hashed: whoever tracks has to look in what was
/// read before, and so hashes it; whoever does not never looks at it. Objects are then told only of what somebody tracks.
///
/// Each thread has one, because tracking is a matter of a thread, and because an object need not be looked at to ask it.
private final class TrackingProbe {
  private let registrar = ObservationRegistrar()
  private let subject = ProbeSubject()
  private let keyPath: KeyPath<ProbeSubject, Int> = \ProbeSubject.[ProbeMark()]
  private let notices: Bool
  /// Whether observers wait for changes of the probe, which never come.
  @exclusivity(unchecked) private var isObserved = false

  private init(notices: Bool) {
    self.notices = notices
  }

  /// Whether reading is tracked, or this probe cannot tell. Lets go of nothing.
  fileprivate func suspectsTracking() -> Bool {
    registrar.access(subject, keyPath: keyPath)
    if osd_take_probe_note() { isObserved = true }
    return isObserved || !notices
  }

  /// Whether reading is tracked. A probe that observers wait on although nobody tracks any more makes way for a new one.
  fileprivate func isTracked() -> Bool {
    registrar.access(subject, keyPath: keyPath)
    if osd_take_probe_note() {
      isObserved = true
      return true
    }
    if isObserved { Self.makeProbe() }
    return !notices
  }

  /// Gives this thread a new probe. What observers left at the former goes with it: nobody tracks any more, so each of them
  /// has begun to wait, and letting go of a registrar ends that.
  @inline(never) @discardableResult
  fileprivate static func makeProbe() -> TrackingProbe {
    let probe = TrackingProbe(notices: noticesTracking)
    osd_set_thread_probe(Unmanaged.passRetained(probe).toOpaque())
    return probe
  }

  /// Whether the observation library of this system hashes what is read while it is tracked. Where it does not, every
  /// read counts as tracked, which is slower and as right.
  private static let noticesTracking: Bool = {
    let probe = TrackingProbe(notices: true)
    var isNoticed = false
    withObservationTracking({ isNoticed = probe.isTracked() }, onChange: {})
    // Beginning to wait for changes hashes too, after the last read.
    _ = osd_take_probe_note()
    probe.isObserved = false
    return isNoticed && !probe.isTracked()
  }()
}

/// Whether an observer may be tracking what this thread reads now: true wherever one does, and now and then where none does.
/// ``confirmTracking()`` knows, and may do what takes more than asking.
///
/// The attribute is a promise to the optimiser: no object that anybody else knows has fewer references afterwards. So a loop
/// over objects need not retain each of them while it reads. Asking notes the read in the list of whoever tracks, and that is all;
/// a probe is made, and one that observers wait on is let go with all that they hold, in ``confirmTracking()``, which
/// promises nothing.
@usableFromInline
@_effects(releasenone)
package func isReadingTracked() -> Bool {
  guard let address = osd_thread_probe() else { return true }
  return Unmanaged<TrackingProbe>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.suspectsTracking() }
}

/// Whether an observer tracks what this thread reads now, asked after ``isReadingTracked()`` said that it may be so.
package func confirmTracking() -> Bool {
  guard let address = osd_thread_probe() else { return TrackingProbe.makeProbe().isTracked() }
  // Retained, because the thread may get another in the meantime.
  return Unmanaged<TrackingProbe>.fromOpaque(address).takeUnretainedValue().isTracked()
}

/// What the probe says that it reads.
private final class ProbeSubject: Observable {
  subscript(_: ProbeMark) -> Int { 0 }
}

/// A part of a key path that notes on its thread that the key path was hashed.
private struct ProbeMark: Hashable {
  func hash(into hasher: inout Hasher) {
    osd_note_probe()
  }
}
