import Observation
import Synchronization

/// An observation registrar on the heap.
///
/// A registrar is never stored inline in a model: it is a resilient struct, which makes every read of a property pay
/// for its layout, and it takes longer to make than a whole row takes to read.
@usableFromInline
package final class ObservationBox: Sendable {
  @usableFromInline package let registrar = ObservationRegistrar()

  init() {}
}

/// The boxes of all models of the process.
///
/// The first 4,096 models that are read have a box each; later ones share. Sharing can wake an observer for a change of
/// another model's property of the same name; it can never miss one. Boxes are never freed, so that a model
/// refers to its own without counting references.
enum ObservationPool {
  private static let capacity = 4096
  private static let state = Mutex(State())

  private struct State {
    var boxes: [ObservationBox] = []
    var next = 0
  }

  static func take() -> Unmanaged<ObservationBox> {
    state.withLock { state in
      let position = state.next
      state.next = (position + 1) % capacity
      if position == state.boxes.count { state.boxes.append(ObservationBox()) }
      return Unmanaged.passUnretained(state.boxes[position])
    }
  }
}
