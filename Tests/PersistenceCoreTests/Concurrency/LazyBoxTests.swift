import PersistenceSupport
import Testing

/// An object in a box, to test that it is released.
private final class Guest: Sendable {}

/// Shares a box between tasks, as a class with a box does.
private final class Owner: Sendable {
  let box = LazyBox()
}

@Suite("The lazy box")
struct LazyBoxTests {
  @Test("the object is created once, and released with the box")
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

  @Test("the box retains the object")
  func ownership() {
    let owner = Owner()
    weak var guest: Guest?
    guest = owner.box.object { Guest() }.takeUnretainedValue()
    #expect(guest != nil)
    withExtendedLifetime(owner) {}
  }

  @Test("threads that request the object for the first time at once get the same one")
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
