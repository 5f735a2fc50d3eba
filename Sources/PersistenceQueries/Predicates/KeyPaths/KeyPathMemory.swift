import Foundation
import PersistenceRuntime
import PersistenceSupport
import Synchronization

extension EntityLayout {
  /// What a key path refers to in a query: a property, the primary key, the `count` of a collection, and so on. The
  /// root of the key path is the model or one of its values.
  package func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning {
    if let meaning = withQueryMemory({ $0.keyPaths.meaning(of: keyPath) }) { return meaning }
    let meaning = findMeaning(of: keyPath)
    // Unknown key paths are not cached: there may be many, and evaluating them in memory takes longer than the look-up.
    if meaning != .unknown { withQueryMemory { $0.keyPaths.remember(meaning, of: keyPath) } }
    return meaning
  }

  /// Whether a key path leads to the model's identifier: `persistentModelID`, or `id` if the model does not declare it.
  package func isIdentifierKeyPath(_ keyPath: AnyKeyPath) -> Bool {
    Self.isIdentifierKeyPath(keyPath, of: modelType)
  }

  private static func isIdentifierKeyPath<Model: PersistentModel>(
    _ keyPath: AnyKeyPath, of type: Model.Type
  ) -> Bool {
    // Key paths to a member of a protocol extension are equal, even if one is formed in generic code.
    let identifier: KeyPath<Model, PersistentIdentifier> = \.id
    return keyPath == \Model.persistentModelID || keyPath == identifier
  }

  private func findMeaning(of keyPath: AnyKeyPath) -> KeyPathMeaning {
    if let property = property(at: keyPath) { return property.meaning }
    if isIdentifierKeyPath(keyPath) { return .key }
    if keyPath == \String.isEmpty { return .emptyText }
    if keyPath == \Date.timeIntervalSinceReferenceDate { return .rawValue }
    if keyPath == \Date.timeIntervalSince1970 { return .secondsSince1970 }
    if keyPath == \Double.isNaN || keyPath == \Float.isNaN { return .isNotANumber }
    if let meaning = CollectionPath.meaning(of: keyPath) { return meaning }
    if RawValuePath.isRawValue(keyPath) { return .rawValue }
    return memberMeaning(of: keyPath) ?? MemberPath.offset(of: keyPath).map { .member($0) } ?? .unknown
  }
}

extension PropertyLayout {
  fileprivate var meaning: KeyPathMeaning {
    switch kind {
    case .attribute where composite != nil: .composite(position)
    case .attribute: columns.count == 1 ? .property(position) : .transformable(position)
    case .transformable: .transformable(position)
    case .toOne, .toMany: .relationship(position)
    }
  }
}

/// Recognises key paths to stored members of structs.
private enum MemberPath {
  /// The offset of the member; nil for computed members, and members of classes.
  static func offset(of keyPath: AnyKeyPath) -> Int? {
    func offset<Root>(_ root: Root.Type) -> Int? {
      (keyPath as? PartialKeyPath<Root>).flatMap { MemoryLayout<Root>.offset(of: $0) }
    }
    return _openExistential(type(of: keyPath).rootType, do: offset)
  }
}

/// Caches what key paths refer to, by the addresses of the key path objects. Thread-safe.
///
/// Swift creates the key path object of a literal only once, so a program has few of them. The address is compared,
/// since hashing and comparing a key path takes longer than the rest of a translation. Entries are never removed, so a
/// look-up needs no lock. An entry retains its key path, so that no other object gets its address. If no entry is free,
/// a key path is not cached.
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

  /// The meaning of a key path if it is cached, else nil.
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
    // Allocations are at least 16 bytes apart. Bits 10 and above distinguish neighbouring objects of the same size.
    Int((address >> 4 ^ address >> 10) % UInt(slotCount))
  }
}

/// An entry for one key path.
private final class KeyPathEntry: Sendable {
  // Addresses that no object has.
  static let free: UInt = 0
  static let taken: UInt = 1

  let address = Atomic<UInt>(free)
  let meaning = Atomic<UInt>(0)

  /// Stores a key path if the entry is free. Returns false if the entry contains another key path.
  func take(_ keyPath: AnyKeyPath, _ meaning: KeyPathMeaning) -> Bool {
    let address = KeyPathMemory.address(of: keyPath)
    let (isFree, owner) = self.address.compareExchange(
      expected: Self.free, desired: Self.taken, ordering: .acquiringAndReleasing)
    guard isFree else { return owner == address }
    _ = Unmanaged.passRetained(keyPath)
    self.meaning.store(meaning.code, ordering: .relaxed)
    // Releasing order: a thread that reads this address also reads the meaning that was stored before.
    self.address.store(address, ordering: .releasing)
    return true
  }

  /// Releases the key path. Called by the cache's deinitialiser.
  func release() {
    guard let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return }
    Unmanaged<AnyKeyPath>.fromOpaque(pointer).release()
  }
}

/// Recognises key paths to properties of collections, such as `count`.
enum CollectionPath {
  static func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? {
    switch keyPath {
    case \String.count, \Data.count: .count
    case \Data.isEmpty: .isEmpty
    default: (type(of: keyPath).rootType as? any DescribedCollection.Type)?.meaning(of: keyPath)
    }
  }
}

/// A standard collection that recognises the key paths of its own properties.
private protocol DescribedCollection {
  static func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning?
}

extension Array: DescribedCollection {
  fileprivate static func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? {
    switch keyPath {
    case \Self.count: .count
    case \Self.isEmpty: .isEmpty
    case \Self.first: .first
    default: nil
    }
  }
}

extension Dictionary: DescribedCollection {
  fileprivate static func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? {
    switch keyPath {
    case \Self.count: .count
    case \Self.isEmpty: .isEmpty
    default: nil
    }
  }
}

extension Set: DescribedCollection {
  fileprivate static func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? {
    switch keyPath {
    case \Self.count: .count
    case \Self.isEmpty: .isEmpty
    default: nil
    }
  }
}

/// Recognises key paths to the raw value of an enum.
///
/// A key path to `rawValue` that generic code forms differs from one that is formed with the enum's type, so comparing
/// them fails. Instead, the value at the key path is compared with the raw value of each case.
enum RawValuePath {
  static func isRawValue(_ keyPath: AnyKeyPath) -> Bool {
    guard let type = RawStorage.type(of: type(of: keyPath).rootType) else { return false }
    return isRawValue(keyPath, of: type)
  }

  private static func isRawValue<Value: RawRepresentable>(
    _ keyPath: AnyKeyPath, of type: Value.Type
  ) -> Bool {
    guard let keyPath = keyPath as? KeyPath<Value, Value.RawValue>, let cases = EnumCases.all(of: type) else {
      return false
    }
    return !cases.isEmpty && cases.allSatisfy { AnyHashable.areEqual($0[keyPath: keyPath], $0.rawValue) }
  }
}

extension AnyHashable {
  /// Whether two values are hashable and equal.
  fileprivate static func areEqual<Value>(_ first: Value, _ second: Value) -> Bool {
    guard let first = first as? AnyHashable, let second = second as? AnyHashable else { return false }
    return first == second
  }
}

/// Finds all key paths in a predicate.
///
/// Uses reflection, because nodes without a translation cannot be traversed otherwise. This is slow, so it is used only
/// before an evaluation in memory that might silently decrypt values.
package enum PredicateKeyPaths {
  package static func all<Model>(in predicate: Predicate<Model>) -> [AnyKeyPath] {
    var found: [AnyKeyPath] = []
    visit(predicate.expression, &found)
    return found
  }

  private static func visit(_ value: Any, _ found: inout [AnyKeyPath]) {
    if let keyPath = value as? AnyKeyPath {
      found.append(keyPath)
      return
    }
    if let list = value as? any ExpressionList {
      for expression in list.expressions { visit(expression, &found) }
      return
    }
    let mirror = Mirror(reflecting: value)
    // Captured values may have any type and size. Only captured predicates are searched.
    let isPart = value is any PredicateExpression || mirror.displayStyle == .tuple || isPredicate(value)
    guard isPart else { return }
    for child in mirror.children { visit(child.value, &found) }
  }

  /// Whether a value is a predicate or an expression with any inputs.
  private static func isPredicate(_ value: Any) -> Bool {
    let name = "\(type(of: value))"
    return name.hasPrefix("Predicate<") || name.hasPrefix("Expression<")
  }
}
