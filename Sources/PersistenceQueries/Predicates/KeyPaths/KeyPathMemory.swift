import PersistenceRuntime
import Synchronization

/// A cache of the meanings of key paths, by the identity of the key path objects. Thread-safe.
///
/// A literal creates its key path object once, so an application has few, while hashing and comparing key paths costs
/// more than the rest of a translation. Entries are only added, which needs no lock, and retain their key paths, so
/// that no other object gets the same address. A key path without a free entry is not cached.
package final class KeyPathMemory: Sendable {
  private static let slotCount = 64
  private static let probeCount = 4

  private let slots: [KeyPathEntry]

  package init() {
    slots = (0..<Self.slotCount).map { _ in KeyPathEntry() }
  }

  deinit {
    for slot in slots {
      slot.release()
    }
  }

  /// The meaning of a key path, if it is cached.
  package func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? {
    let address = Self.address(of: keyPath)
    let first = Self.firstSlot(of: address)
    for probe in 0..<Self.probeCount {
      let slot = slots[(first &+ probe) % Self.slotCount]
      let owner = slot.address.load(ordering: .acquiring)
      if owner == address { return KeyPathMeaning(code: slot.meaning.load(ordering: .relaxed)) }
      if owner == KeyPathEntry.free { return nil }
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
    // Allocations are at least 16 bytes apart; the bits from 10 on separate neighbours of one size.
    Int((address >> 4 ^ address >> 10) % UInt(slotCount))
  }
}

/// An entry for one key path.
private final class KeyPathEntry: Sendable {
  // No object has these addresses.
  static let free: UInt = 0
  static let taken: UInt = 1

  let address = Atomic<UInt>(free)
  let meaning = Atomic<UInt>(0)

  /// Stores a key path if the entry is free. Returns false if the entry has another one.
  func take(_ keyPath: AnyKeyPath, _ meaning: KeyPathMeaning) -> Bool {
    let address = KeyPathMemory.address(of: keyPath)
    let (isFree, owner) = self.address.compareExchange(
      expected: Self.free, desired: Self.taken, ordering: .acquiringAndReleasing)
    guard isFree else { return owner == address }
    _ = Unmanaged.passRetained(keyPath)
    self.meaning.store(meaning.code, ordering: .relaxed)
    // Releasing order: a thread that loads the address sees the meaning.
    self.address.store(address, ordering: .releasing)
    return true
  }

  /// Releases the key path. Called by the cache's deinitialiser.
  func release() {
    guard let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return }
    Unmanaged<AnyKeyPath>.fromOpaque(pointer).release()
  }
}
