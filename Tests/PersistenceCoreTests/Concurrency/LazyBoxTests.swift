import PersistenceSupport
import Testing

/// An object that a box retains. A test checks through a weak reference when it is released.
private final class Guest: Sendable {}

/// A class with a box, which several tasks share.
private final class Owner: Sendable {
  let box = LazyBox()
}

@Suite("LazyBox, which creates its object at the first access")
struct LazyBoxTests {
  @Test("a box creates its object once, and releases it when the box is released")
  func lifetime() {
    weak var guest: Guest?
    do {
      let owner = Owner()
      let first = owner.box.object { Guest() }.takeUnretainedValue()
      let second = owner.box.object { Guest() }.takeUnretainedValue()
      #expect(first === second)
      guest = first
    }
    #expect(guest == nil)
  }

  @Test("a box retains its object")
  func ownership() {
    let owner = Owner()
    weak var guest: Guest?
    guest = owner.box.object { Guest() }.takeUnretainedValue()
    #expect(guest != nil)
    withExtendedLifetime(owner) {}
  }

  @Test("threads that access a new box at the same time get the same object")
  func concurrent() async {
    for _ in 0..<200 {
      let owner = Owner()
      let objects = await withTaskGroup(of: ObjectIdentifier.self) { group -> Set<ObjectIdentifier> in
        for _ in 0..<8 {
          group.addTask { ObjectIdentifier(owner.box.object { Guest() }.takeUnretainedValue()) }
        }
        var objects: Set<ObjectIdentifier> = []
        for await object in group { objects.insert(object) }
        return objects
      }
      #expect(objects.count == 1)
    }
  }
}
