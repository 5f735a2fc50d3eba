import Observation

/// An observation registrar on the heap.
///
/// A registrar is never stored inline in a model: it is a resilient struct, which makes every read of a property pay
/// for its layout, and it takes longer to make than a whole row takes to read.
@usableFromInline
package final class ObservationBox {
  @usableFromInline package let registrar = ObservationRegistrar()

  package init() {}
}

/// The boxes of a context's models.
///
/// The first 1,024 models that observers read have a box each; later ones share. Sharing can wake an observer for a change of
/// another model's property of the same name; it can never miss one. The models of a context share with each other
/// only: whoever uses a context does so in one place, so that an observer is never woken on a thread of others.
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
