import PersistenceRuntime
import Synchronization

/// What key paths were found to mean, by the identity of the key path objects.
///
/// A literal makes its key path object once, so that an application has few of them, while hashing and comparing key
/// paths costs more than the rest of a translation. Entries are only ever added, which needs no lock, and their key
/// paths are kept alive, so that no other can take the address of one. What finds its places taken is not remembered.
package final class KeyPathMemory: Sendable {
  private static let slotCount = 64
  private static let probeCount = 4

  private let slots: [Place]

  package init() {
    slots = (0..<Self.slotCount).map { _ in Place() }
  }

  deinit {
    for slot in slots {
      slot.release()
    }
  }

  /// The meaning of a key path if it is remembered.
  package func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? {
    let address = Self.address(of: keyPath)
    let first = Self.firstSlot(of: address)
    for probe in 0..<Self.probeCount {
      let slot = slots[(first &+ probe) % Self.slotCount]
      let owner = slot.address.load(ordering: .acquiring)
      if owner == address { return KeyPathMeaning(code: slot.meaning.load(ordering: .relaxed)) }
      if owner == Place.free { return nil }
    }
    return nil
  }

  package func remember(_ meaning: KeyPathMeaning, of keyPath: AnyKeyPath) {
    let first = Self.firstSlot(of: Self.address(of: keyPath))
    for probe in 0..<Self.probeCount where slots[(first &+ probe) % Self.slotCount].take(keyPath, meaning) {
      return
    }
  }

  fileprivate static func address(of keyPath: AnyKeyPath) -> UInt {
    UInt(bitPattern: ObjectIdentifier(keyPath))
  }

  private static func firstSlot(of address: UInt) -> Int {
    // Allocations are 16 bytes apart at least, and the bits from 10 on tell neighbours of one size apart.
    Int((address >> 4 ^ address >> 10) % UInt(slotCount))
  }
}

/// A place for one key path.
private final class Place: Sendable {
  // No object is at these addresses.
  static let free: UInt = 0
  static let taken: UInt = 1

  let address = Atomic<UInt>(free)
  let meaning = Atomic<UInt>(0)

  /// Puts a key path here; false when another one is, true also when this one is already.
  func take(_ keyPath: AnyKeyPath, _ meaning: KeyPathMeaning) -> Bool {
    let address = KeyPathMemory.address(of: keyPath)
    let (isFree, owner) = self.address.compareExchange(
      expected: Self.free, desired: Self.taken, ordering: .acquiringAndReleasing)
    guard isFree else { return owner == address }
    _ = Unmanaged.passRetained(keyPath)
    self.meaning.store(meaning.code, ordering: .relaxed)
    // Whoever sees the address sees the meaning.
    self.address.store(address, ordering: .releasing)
    return true
  }

  /// Lets go of the key path, at the end.
  func release() {
    guard let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return }
    Unmanaged<AnyKeyPath>.fromOpaque(pointer).release()
  }
}
