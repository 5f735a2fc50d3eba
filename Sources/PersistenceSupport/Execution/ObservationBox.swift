import Observation

/// An observation registrar on the heap.
///
/// A registrar is never stored inline in a model: it is a resilient struct, so every property access would pay for its
/// layout, and creating it takes longer than decoding a row.
@usableFromInline
package final class ObservationBox {
  @usableFromInline package let registrar = ObservationRegistrar()

  package init() {}
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
