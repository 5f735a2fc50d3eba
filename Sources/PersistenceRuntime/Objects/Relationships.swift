import Observation
import PersistenceSupport

extension _PersistenceRuntime {
  /// An operation on the slot (the stored value) of one relationship of a model.
  ///
  /// Generated code finds the property's slot; an overload of `apply` performs the operation for the slot's type.
  public struct RelationshipSlotOperation {
    package enum Kind {
      /// Returns the slot's objects.
      case read
      /// Returns whether the slot is loaded, and either the to-one object or whether the to-many list has the object.
      case find
      /// Sets a to-one relationship.
      case set
      /// Sets an optional to-one relationship to nil.
      case clear
      /// Appends the object to a loaded to-many relationship.
      case append
      /// Notifies observers of a change of a loaded to-many relationship.
      case announce
      /// Notifies observers before or after a change that is made by another operation.
      case willSet, didSet
      /// Removes objects from a loaded to-many relationship whose observers were already notified.
      case takeOut
      /// Removes objects from a loaded to-many relationship and notifies observers.
      case remove
      /// Sets the slot to the store's value. This is a load, not a change, so observers are not notified.
      case fill
      /// Restores the former value and notifies observers.
      case restore
      /// Turns the slot into a fault.
      case release
    }

    package let kind: Kind
    package let object: AnyObject?
    /// The new objects of a to-many relationship, or the slot's objects as a result.
    package var objects: ContiguousArray<AnyObject> = []
    package var removal = ObjectSet()
    /// Whether generated code determined that the property is a relationship.
    package private(set) var isHandled = false
    /// Whether the slot was loaded.
    package private(set) var isLoaded = false
    /// The former object of an observed to-one relationship. Read after `willSet`, whose observers may change it.
    package private(set) var replaced: AnyObject?
    package private(set) var isFound = false
    /// The object of a loaded to-one relationship, as found by `find`.
    package private(set) var related: AnyObject?
    /// The number of objects in a to-many relationship after the operation.
    package private(set) var count = 0

    package init(_ kind: Kind, _ object: AnyObject? = nil) {
      self.kind = kind
      self.object = object
    }
  }
}

extension RelationshipSlotOperation {
  /// Sets the results from the objects of a relationship without a slot, such as that of a hand-written model.
  package mutating func note(_ held: ContiguousArray<AnyObject>) {
    isLoaded = true
    count = held.count + (kind == .append ? 1 : 0)
    isFound = kind == .find && held.contains { $0 === object }
    related = kind == .find ? held.first : nil
  }

  /// Notifies the observers of a property without changing its slot.
  private func notify<Owner: PersistentModel, Value>(_ model: Owner, _ keyPath: KeyPath<Owner, Value>) {
    guard let registrar = model._$state.pointee.observation?.registrar else { return }
    kind == .willSet ? registrar.willSet(model, keyPath: keyPath) : registrar.didSet(model, keyPath: keyPath)
  }
}

// Code that is generic over the class would look up the metadata of slots, arrays and optionals, which took most of the
// time of an operation. So slots are accessed as slots of `AnyObject`: references to all classes have the same layout.
// Unsafe: the address is that of a stored property of a model that the caller retains. `apply` does not store the
// address. It is never inlined, so that no code accesses the property by both types.

extension UnsafeMutablePointer {
  /// Casts the slot to a slot of `AnyObject`. `Value` is the slot's value type, with `AnyObject` as class.
  @inline(__always)
  fileprivate func view<Value>(as type: Value.Type) -> UnsafeMutablePointer<_PersistenceRuntime.Slot<Value>> {
    unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: _PersistenceRuntime.Slot<Value>.self)
  }
}

extension PersistentModel {
  /// Runs a mutation, and notifies observers before and after it if there are any.
  @inline(__always)
  fileprivate func _$mutate<Value>(_ keyPath: () -> KeyPath<Self, Value>, _ mutation: () -> Void) {
    _$state.pointee.observation == nil ? mutation() : _$withMutation(keyPath(), mutation)
  }
}

// MARK: To one

extension RelationshipSlotOperation {
  @inline(never) public mutating func apply<Owner: PersistentModel, Destination: PersistentModel>(
    to model: Owner, _ keyPath: @autoclosure () -> KeyPath<Owner, Destination?>,
    _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<Destination?>>
  ) {
    unsafe apply(to: model, keyPath, slot.view(as: AnyObject?.self), value: { $0 }, object: { $0 })
  }

  @inline(never) public mutating func apply<Owner: PersistentModel, Destination: PersistentModel>(
    to model: Owner, _ keyPath: @autoclosure () -> KeyPath<Owner, Destination>,
    _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<Destination>>
  ) {
    unsafe apply(to: model, keyPath, slot.view(as: AnyObject.self), value: { $0 }, object: { $0 })
  }

  /// The common code of required and optional to-one relationships. A required relationship is never set to nil.
  @inline(__always)
  private mutating func apply<Owner: PersistentModel, Property, Value>(
    to model: Owner, _ keyPath: () -> KeyPath<Owner, Property>, _ slot: UnsafeMutablePointer<Slot<Value>>,
    value: (AnyObject?) -> Value?, object held: (Value) -> AnyObject?
  ) {
    isHandled = true
    if case .value(let value) = unsafe slot.pointee {
      isLoaded = true
      if kind == .read, let object = held(value) { objects = [object] }
      if kind == .find { related = held(value) }
    }
    switch kind {
    case .set, .clear:
      guard let new = value(kind == .set ? object : nil) else { return }
      model._$mutate(keyPath) {
        if model._$isObserved, case .value(let value) = unsafe slot.pointee { replaced = held(value) }
        unsafe slot.pointee = .value(new)
      }
    case .fill: if let new = value(objects.first) { unsafe slot.pointee = .value(new) }
    case .restore: if let new = value(objects.first) { model._$mutate(keyPath) { unsafe slot.pointee = .value(new) } }
    case .release: unsafe slot.pointee = .fault
    case .willSet, .didSet: notify(model, keyPath())
    case .read, .find, .append, .announce, .takeOut, .remove: break
    }
  }
}

// MARK: To many

extension RelationshipSlotOperation {
  @inline(never) public mutating func apply<Owner: PersistentModel, Destination: PersistentModel>(
    to model: Owner, _ keyPath: @autoclosure () -> KeyPath<Owner, [Destination]>,
    _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<[Destination]>>
  ) {
    unsafe apply(to: model, keyPath, slot.view(as: [AnyObject].self), members: { $0 }, value: { $0 })
  }

  @inline(never) public mutating func apply<Owner: PersistentModel, Destination: PersistentModel>(
    to model: Owner, _ keyPath: @autoclosure () -> KeyPath<Owner, [Destination]?>,
    _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<[Destination]?>>
  ) {
    unsafe apply(to: model, keyPath, slot.view(as: [AnyObject]?.self), members: { $0 ?? [] }, value: { $0 })
  }

  /// The common code of to-many relationships whose type is an array or an optional array.
  @inline(__always)
  private mutating func apply<Owner: PersistentModel, Property, Value>(
    to model: Owner, _ keyPath: () -> KeyPath<Owner, Property>, _ slot: UnsafeMutablePointer<Slot<Value>>,
    members: (Value) -> [AnyObject], value: ([AnyObject]) -> Value
  ) {
    isHandled = true
    switch kind {
    case .fill: unsafe slot.pointee = .value(value(Array(objects)))
    case .restore: model._$mutate(keyPath) { unsafe slot.pointee = .value(value(Array(objects))) }
    case .release: unsafe slot.pointee = .fault
    case .read, .find:
      guard case .value(let held) = unsafe slot.pointee else { return }
      look(at: members(held))
    case .append, .announce, .remove:
      guard case .value = unsafe slot.pointee else { return }
      model._$mutate(keyPath) { unsafe change(slot, members, value) }
    case .takeOut: unsafe change(slot, members, value)
    case .willSet, .didSet: notify(model, keyPath())
    case .set, .clear: break
    }
  }

  private mutating func look(at list: [AnyObject]) {
    isLoaded = true
    count = list.count
    if kind == .read { objects = ContiguousArray(list) }
    if kind == .find, let object { isFound = list.lastIndex { $0 === object } != nil }
  }

  @inline(__always)
  private mutating func change<Value>(
    _ slot: UnsafeMutablePointer<Slot<Value>>, _ members: (Value) -> [AnyObject], _ value: ([AnyObject]) -> Value
  ) {
    guard case .value(let held) = unsafe slot.pointee else { return }
    // The list is moved out of the slot, so that a mutation copies nothing.
    unsafe slot.pointee = .fault
    var list = members(consume held)
    change(&list)
    unsafe slot.pointee = .value(value(list))
  }

  private mutating func change(_ list: inout [AnyObject]) {
    isLoaded = true
    if kind == .append, let object { list.append(object) }
    if kind == .takeOut || kind == .remove { removal.takeOut(of: &list) }
    count = list.count
  }

  /// Has no effect, because the property is not a relationship.
  @_disfavoredOverload
  public mutating func apply<Owner: PersistentModel, Value>(
    to model: Owner, _ keyPath: @autoclosure () -> KeyPath<Owner, Value>,
    _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<Value>>
  ) {}
}

/// The objects of one fetch. Their relationships and faults are loaded together, in batches.
///
/// Objects retain the group; the group stores their keys. Only used in the isolation of the objects, except that any
/// thread may release the last object.
@usableFromInline
package final class FetchGroup {
  @exclusivity(unchecked) @usableFromInline var keys: ContiguousArray<Int64> = []
  /// Whether the fetch returned all objects of the entity.
  private let isComplete: Bool
  /// In a large group, the range of objects to load together, for each property.
  private var windows: [PrefetchWindow] = []

  package init(isComplete: Bool = false) {
    self.isComplete = isComplete
  }

  /// Whether the group has a given number of objects, and these are all objects of the entity.
  package func isComplete(with count: Int) -> Bool { isComplete && keys.count == count }

  /// The keys of the objects to load together with a given object, and whether these are all objects of the entity.
  ///
  /// - Parameter position: The position of the property; nil to load the row itself.
  package func window(around key: Int64, for position: Int?) -> (keys: ArraySlice<Int64>, isComplete: Bool) {
    guard keys.count > PrefetchWindow.largest else { return (ArraySlice(keys), isComplete) }
    let known = windows.firstIndex { $0.position == position }
    if known == nil { windows.append(PrefetchWindow(position: position)) }
    return (ArraySlice(keys[windows[known ?? windows.count - 1].step(to: key, in: keys)]), false)
  }
}

/// The objects that a relationship query returns, grouped by owner.
///
/// Owners occur in any order, so rows are collected sequentially and grouped by a counting sort at the end. Appending
/// to a thousand lists in turn would miss the cache each time. The objects of a single owner are appended directly.
@usableFromInline
package final class MemberCollection {
  /// The column of the owner's key; nil if there is a single owner.
  private let ownerColumn: Int32?
  @usableFromInline let positionColumn: Int32
  private let owners: OwnerIndices
  /// The owners whose relationship is read, and the position of its inverse among the related objects' properties.
  private let ownerObjects: ContiguousArray<AnyObject>
  @usableFromInline let ownerPosition: Int
  // Unmanaged, so that moving references into their lists changes no reference count.

  /// The objects of a single owner.
  @exclusivity(unchecked) private var list: ContiguousArray<Unmanaged<AnyObject>> = []
  /// The objects of several owners, with the index of each owner.
  @exclusivity(unchecked) private var members: ContiguousArray<(object: Unmanaged<AnyObject>, ownerIndex: Int)> = []
  /// The index of the current row's owner.
  @exclusivity(unchecked) private var ownerIndex = 0
  /// By key, the list positions that rows store, for objects whose list is not in the order of its keys.
  package private(set) var positions: [Int64: Double] = [:]
  @exclusivity(unchecked) private var lastKeys: ContiguousArray<Int64>
  /// The indices of lists whose objects are not in the order of their keys.
  package private(set) var scattered: Set<Int> = []
  private let isOrderedByStore: Bool
  private let hasOneOwner: Bool

  /// - Parameter ownerPosition: The position of the inverse in the related objects' class; nil if there is none.
  package init(
    owners: [Int64], objects: ContiguousArray<AnyObject>, ownerPosition: Int?,
    columns: (owner: Int32?, position: Int32), isOrderedByStore: Bool
  ) {
    (ownerColumn, positionColumn) = columns
    self.ownerPosition = ownerPosition ?? -1
    self.isOrderedByStore = isOrderedByStore
    self.owners = OwnerIndices(columns.owner == nil ? [] : owners)
    ownerObjects = objects
    hasOneOwner = objects.count == 1
    lastKeys = ContiguousArray(repeating: .min, count: isOrderedByStore ? 0 : owners.count)
  }

  deinit {
    for object in list { object.release() }
    for member in members { member.object.release() }
  }

  /// The single owner of all rows if the rows do not contain its key; otherwise nil.
  @usableFromInline
  var onlyOwner: Unmanaged<AnyObject>? {
    ownerColumn == nil ? ownerObjects.first.map { .passUnretained($0) } : nil
  }

  /// Starts a row and returns its owner; nil if the row's owner is not among the requested owners.
  @usableFromInline
  package func begin(_ reader: RowReader) -> Unmanaged<AnyObject>? {
    if let ownerColumn { ownerIndex = owners[reader.integer(at: ownerColumn)] }
    return ownerIndex < 0 ? nil : .passUnretained(ownerObjects[ownerIndex])
  }

  /// Adds the object of the row to the list of the current owner, and takes over the caller's reference.
  @usableFromInline
  func append(_ object: Unmanaged<AnyObject>, key: Int64) {
    if hasOneOwner { list.append(object) } else { members.append((object, ownerIndex)) }
    guard !isOrderedByStore else { return }
    if key < lastKeys[ownerIndex] { scattered.insert(ownerIndex) }
    lastKeys[ownerIndex] = key
  }

  @usableFromInline
  func note(position: Double, of key: Int64) {
    positions[key] = position
    scattered.insert(ownerIndex)
  }

  /// Returns the objects of each owner in row order, and removes them.
  package func takeLists() -> ContiguousArray<ContiguousArray<AnyObject>> {
    if hasOneOwner {
      defer { list = [] }
      return [list.withUnsafeMutableBufferPointer { Self.list(of: $0[...]) }]
    }
    var ends = ContiguousArray<Int>(repeating: 0, count: ownerObjects.count)
    for member in members { ends[member.ownerIndex] += 1 }
    var end = 0
    for ownerIndex in ends.indices {
      end += ends[ownerIndex]
      ends[ownerIndex] = end
    }
    return withUnsafeTemporaryAllocation(of: Unmanaged<AnyObject>.self, capacity: end) { sorted in
      var starts = ends
      for member in members.reversed() {
        starts[member.ownerIndex] -= 1
        sorted[starts[member.ownerIndex]] = member.object
      }
      members.removeAll()
      return ContiguousArray(zip(starts, ends).map { start, end in Self.list(of: sorted[start..<end]) })
    }
  }

  /// Creates a list, which takes over the references.
  private static func list(
    of objects: Slice<UnsafeMutableBufferPointer<Unmanaged<AnyObject>>>
  ) -> ContiguousArray<AnyObject> {
    ContiguousArray(unsafeUninitializedCapacity: objects.count) { list, count in
      count = objects.count
      // An unmanaged reference has the representation of a strong one.
      UnsafeMutableRawBufferPointer(list).copyMemory(
        from: UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: objects)))
    }
  }
}

/// The observed ends that a change of a relationship sets, except for the first end. An end is one model's property.
///
/// Between the changes of two ends, the ends are inconsistent. If an observer then sets, saves or rolls back something,
/// the rest of the change is wrong. So all observers are notified before the first end is set. The observers may
/// change models, so the change is then computed again, and the observers of newly found ends are notified in another
/// round. Observers of ends that are found after the last round are notified after all ends are set.
///
/// Only used in the isolation of the models.
@usableFromInline
package struct AnnouncedEnds {
  /// The rounds of notifications; nil before the first observed end, because few changes have observed ends.
  @usableFromInline var rounds: AnnouncementRounds?

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { rounds == nil }

  /// Adds an end, if it is observed.
  package mutating func add(_ model: any PersistentModel, _ position: Int) {
    guard model._$isObserved else { return }
    let known = rounds ?? AnnouncementRounds()
    rounds = known
    known.add(model, position)
  }

  /// Notifies the observers of the ends that were added since the last round.
  ///
  /// - Parameter prepare: Runs before the first notification.
  /// - Returns: Whether ends were added since the last round.
  package func announce(_ prepare: () -> Void) -> Bool { rounds?.announce(prepare) ?? false }

  /// Sets the ends without notifying their observers.
  @inlinable
  package func apply(_ change: () -> Void) {
    guard let rounds else { return change() }
    rounds.silence(true)
    change()
    rounds.silence(false)
  }

  /// Called after all ends are set: sends all `didSet` notifications, and those `willSet` ones that are still missing.
  @inlinable package func conclude() { rounds?.conclude() }
}

/// The rounds in which observers are notified of one change. Only used in the isolation of the models.
@usableFromInline
final class AnnouncementRounds {
  private struct End: Hashable {
    let model: ObjectIdentifier
    let position: Int
  }

  /// The maximum number of rounds. In each round, observers may change the set of ends.
  private static let most = 8

  private var ends: ContiguousArray<(model: any PersistentModel, position: Int)> = []
  private var known: Set<End> = []
  /// The number of ends whose observers were notified.
  private var announced = 0
  private var count = 0

  func add(_ model: any PersistentModel, _ position: Int) {
    guard known.insert(End(model: ObjectIdentifier(model), position: position)).inserted else { return }
    ends.append((model, position))
  }

  func announce(_ prepare: () -> Void) -> Bool {
    guard announced < ends.count, count < Self.most else { return false }
    let news = ends[announced...]
    (announced, count) = (ends.count, count + 1)
    prepare()
    for end in news { notify(.willSet, end.model, end.position) }
    return true
  }

  @usableFromInline
  func silence(_ isSilent: Bool) {
    for end in ends { end.model._$state.pointee.observation?.isAnnounced = isSilent }
  }

  @usableFromInline
  func conclude() {
    for (index, end) in ends.enumerated() {
      if index >= announced { notify(.willSet, end.model, end.position) }
      notify(.didSet, end.model, end.position)
    }
  }

  private func notify(_ kind: RelationshipSlotOperation.Kind, _ model: any PersistentModel, _ position: Int) {
    var operation = RelationshipSlotOperation(kind)
    model._$relate(&operation, position)
  }
}
