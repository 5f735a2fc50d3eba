import Observation
import _CSwiftRuntime

/// Detects whether an observer tracks the reads of this thread.
///
/// Observation has no such query, and reporting every read to a registrar would give every object that is read a
/// registrar. The probe reports one read to a registrar of its own, with a key path that records whether it is hashed.
/// Active tracking hashes the key path; otherwise it is never hashed. Objects report reads only while tracking is
/// active.
///
/// Each thread has its own probe: tracking is per thread, and the query then needs no access to the object.
final class TrackingProbe {
  private let registrar = ObservationRegistrar()
  private let subject = ProbeSubject()
  private let keyPath: KeyPath<ProbeSubject, Int> = \ProbeSubject.[ProbeMark()]
  private let notices: Bool
  /// Whether observers are registered for changes of the probe, which never happen.
  @exclusivity(unchecked) private var isObserved = false

  private init(notices: Bool) {
    self.notices = notices
  }

  /// Whether reading is tracked, or this probe cannot tell. Releases nothing.
  fileprivate func suspectsTracking() -> Bool {
    registrar.access(subject, keyPath: keyPath)
    if osd_take_probe_note() { isObserved = true }
    return isObserved || !notices
  }

  /// Whether reading is tracked. Replaces a probe that has stale observers.
  fileprivate func isTracked() -> Bool {
    registrar.access(subject, keyPath: keyPath)
    if osd_take_probe_note() {
      isObserved = true
      return true
    }
    if isObserved { Self.makeProbe() }
    return !notices
  }

  /// Gives this thread a new probe. Stale registrations end with the former probe's registrar: no tracking is active
  /// any more, so each of those observers is already waiting.
  @inline(never) @discardableResult
  fileprivate static func makeProbe() -> TrackingProbe {
    let probe = TrackingProbe(notices: noticesTracking)
    osd_set_thread_probe(Unmanaged.passRetained(probe).toOpaque())
    return probe
  }

  /// Whether this system's Observation library hashes what is read under tracking. If it does not, every read counts as
  /// tracked, which is slower but correct.
  private static let noticesTracking = detectsTracking()

  /// Tests the library. The caller's reads may be tracked, as the first read of a program often is: hence nothing is
  /// asked outside of the test's own tracking. If everything were hashed there too, the probe would always say yes.
  static func detectsTracking() -> Bool {
    let probe = TrackingProbe(notices: true)
    var isNoticed = false
    withObservationTracking({ isNoticed = probe.isTracked() }, onChange: {})
    // Registering for changes hashes too, after the last read.
    _ = osd_take_probe_note()
    return isNoticed
  }
}

/// Whether this thread's reads may be tracked: always true under tracking, and sometimes true without.
/// ``confirmTracking()`` decides, and may do more than a query.
///
/// `releasenone` promises the optimiser that no reference count visible to other code decreases. So a loop over objects
/// need not retain each of them while it reads. The query only adds an entry to the active access list. Creating a
/// probe and releasing one with stale observers happens in ``confirmTracking()``, which promises nothing.
@usableFromInline
@_effects(releasenone)
package func isReadingTracked() -> Bool {
  guard let address = osd_thread_probe() else { return true }
  return Unmanaged<TrackingProbe>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.suspectsTracking() }
}

/// Whether this thread's reads are tracked. Call it only after ``isReadingTracked()`` returned true.
package func confirmTracking() -> Bool {
  guard let address = osd_thread_probe() else { return TrackingProbe.makeProbe().isTracked() }
  // Retained, because the call may replace the thread's probe.
  return Unmanaged<TrackingProbe>.fromOpaque(address).takeUnretainedValue().isTracked()
}

/// The object whose property the probe reports as read.
private final class ProbeSubject: Observable {
  subscript(_: ProbeMark) -> Int { 0 }
}

/// A key path component that records on its thread that it was hashed.
private struct ProbeMark: Hashable {
  func hash(into hasher: inout Hasher) {
    osd_note_probe()
  }
}

/// An observation registrar on the heap.
///
/// A registrar is never stored inline in a model: it is a resilient struct, so every property access would pay for its
/// layout, and creating it takes longer than decoding a row.
@usableFromInline
package final class ObservationBox {
  @usableFromInline package let registrar = ObservationRegistrar()
  /// Whether observers know of what is about to change: until it is made, changes notify none. It holds for all
  /// properties, and all models that share the box: no code of the program runs meanwhile.
  @usableFromInline package var isAnnounced = false

  package init() { osd_note_observer() }
}

/// The observation boxes of a context's models.
///
/// The first 1,024 observed models have a box each; later ones share. Sharing can notify an observer of a change of
/// another model's property of the same name; it never misses one. Only models of one context share: a context is used
/// in one isolation domain, so an observer is never notified on a foreign thread.
///
/// The pool lives as long as any model of its context.
@usableFromInline
package final class ObservationPool {
  private static let capacity = 1024
  private var boxes: ContiguousArray<ObservationBox> = []
  private var next = 0

  package init() {}

  package func take() -> ObservationBox {
    let position = next
    next = position + 1 == Self.capacity ? 0 : position + 1
    if position == boxes.count { boxes.append(ObservationBox()) }
    return boxes[position]
  }
}
