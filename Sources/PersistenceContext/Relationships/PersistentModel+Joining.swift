import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
@_spi(Reflection) import Swift

// An object that is related to an object in a context is inserted into that context.

extension PersistentModel {
  /// Returns the object to use in a relationship; nil if the objects cannot be related. Then the next save throws.
  func _$admit<Destination: PersistentModel>(_ value: Destination, at position: Int) -> Destination? {
    guard _$mayUse(value) else { return value }
    // An actor that runs on another executor is linked when it is inserted.
    if value._$isHere, value._$state.pointee.flags.contains(.unlinked) { value._$linkInitial() }
    guard let map = _$state.pointee.identityMap, let context = map.context else { return value }
    return context.admit(value, relatedTo: self, property: map.entity.properties[position].name)
  }

  /// Inserts this object into the context of a related object.
  func _$join(_ other: some PersistentModel) {
    guard _$state.pointee.identityMap == nil, _$mayUse(other), let context = other.modelContext else { return }
    context.insertWithoutSaving(self)
    _$state.pointee.flags.insert(.joined)
  }

  /// Inserts this object into the context of a new list member.
  ///
  /// During an in-place change the slot is empty. So the array is stored in it first, to insert all its members.
  func _$join<Member: PersistentModel>(_ member: Member, among members: [Member], at position: Int) {
    guard _$state.pointee.identityMap == nil, _$mayUse(member), member.modelContext != nil else { return }
    if !_$edit(.find, at: position).isLoaded {
      _$fill(ContiguousArray(members.lazy.map { $0 as AnyObject }), at: position)
    }
    _$join(member)
  }

  /// Inserts this object into the context of its first related object that has a context.
  func _$joinRelated() {
    guard _$state.pointee.identityMap == nil, let layout = UnboundLayouts.layout(of: type(of: self)) else { return }
    for relationship in layout.relationships {
      for object in _$edit(.read, at: relationship.position).objects {
        let related = EntityLayout.model(object, as: relationship.destinationType)
        if _$mayUseContext(of: related) { _$join(related) }
        if _$state.pointee.identityMap != nil { return }
      }
    }
  }

  /// Sets the members of a relationship, once each, but not the inverses. Returns the members that are not in `old`.
  func _$replaceMembers(
    _ old: ContiguousArray<AnyObject>, by new: ContiguousArray<AnyObject>, at position: Int
  ) -> ContiguousArray<AnyObject> {
    var members = ObjectSet()
    for object in new { members.insert(object) }
    _$fill(members.objects, at: position)
    return members.objects(besides: old)
  }

  /// True if the object may be used on this thread: it is no actor, or the jobs of the actor run here.
  var _$isHere: Bool { !Self._$runsInContext || _$execution?.isRunningHere ?? true }

  /// Whether this object may read and change another object.
  ///
  /// An actor may be used only where its jobs run. All objects of one context run on one executor. An actor without a
  /// context may run elsewhere: its initialiser runs on any thread, and its methods run concurrently with all contexts.
  func _$mayUse<Other: PersistentModel>(_ other: Other) -> Bool {
    guard Other._$runsInContext, _$state.pointee.identityMap?.context == nil else { return true }
    return other._$isHere
  }

  /// Whether the context of another object may be used here. The context of an actor may be used where the actor's jobs
  /// run, but an initialiser of an actor runs on any thread.
  private func _$mayUseContext(of other: some PersistentModel) -> Bool {
    guard let execution = other._$execution else { return !Self._$runsInContext }
    return execution.isRunningHere
  }

  /// Restores the inverse of a required relationship that lost its target and is set to the same target again.
  func _$mendOrphan() {
    guard let context = _$state.pointee.identityMap?.context, !context.orphans.isEmpty else { return }
    for orphan in context.orphans.losses(of: self) {
      guard let relationship = _$relationship(at: orphan.position) else { continue }
      _$link(orphan.owner, relationship)
    }
    context.orphans.remove(self)
  }

  @usableFromInline
  func _$applyLinksNow() {
    if _$state.pointee.flags.contains(.unlinked) { _$linkInitial() }
    if _$state.pointee.flags.contains(.stale) { _$flushStale() }
  }

  /// Updates the inverses of relationships that an initialiser set, or that were set while the other object could not
  /// be used on this thread. Inverses in objects that still cannot be used stay pending.
  func _$linkInitial() {
    _$state.pointee.flags.remove(.unlinked)
    guard let layout = _$state.pointee.identityMap?.entity ?? UnboundLayouts.layout(of: type(of: self)) else { return }
    for relationship in layout.relationships where relationship.inverse != nil {
      for object in _$edit(.read, at: relationship.position).objects {
        let other = EntityLayout.model(object, as: relationship.destinationType)
        _$linkInitial(other, relationship, mayBeLinked: layout.meetsActors)
      }
    }
  }

  /// Records that inverses of the object's relationships must still be set.
  func _$postponeLinks() {
    _$state.pointee.flags.insert(.unlinked)
  }

  private func _$linkInitial<Other: PersistentModel>(
    _ other: Other, _ relationship: RelationshipLayout, mayBeLinked: Bool
  ) {
    guard let inverse = relationship.inverse else { return }
    guard _$mayUse(other) else { return _$postponeLinks() }
    // The inverse may already contain the object in three cases: this inverse was set while another one was postponed,
    // the other object's initialiser has set it, or a model is hand-written.
    let mayKnow =
      mayBeLinked || other._$state.pointee.flags.contains(.unlinked) || !type(of: other)._$marksInitialRelationships
      || !type(of: self)._$marksInitialRelationships
    if inverse.isToMany, mayKnow, other._$edit(.find, self, at: inverse.position).isFound { return }
    _$link(other, relationship)
  }
}

// Until every property of an object has a value, the initialiser of the object may use only its ``ModelState``.

extension ModelState {
  /// Records that a required property has a value. Returns true if every required property has one. For generated code.
  ///
  /// - Parameters:
  ///   - index: The index of the property among the required properties.
  ///   - count: The number of required properties.
  @inlinable
  public mutating func _$isComplete(_ index: UInt32, of count: UInt32) -> Bool {
    flags.rawValue |= 1 << (Flags.firstRequired + index)
    return flags.rawValue >> Flags.firstRequired == (1 << count) - 1
  }

  /// `_$isComplete(_:of:)` for more properties than the state has bits. The object stores their bits in an integer. For
  /// generated code.
  @inlinable
  public mutating func _$isComplete(_ index: UInt32, of count: UInt32, in set: inout UInt64) -> Bool {
    set |= 1 << UInt64(index)
    return set == .max >> (64 - UInt64(count))
  }

  /// `_$isComplete(_:of:)` for more properties than one integer has bits. For generated code.
  public mutating func _$isComplete(_ index: UInt32, of count: UInt32, in sets: inout [UInt64]) -> Bool {
    if sets.isEmpty { sets = [UInt64](repeating: 0, count: (Int(count) + 63) / 64) }
    sets[Int(index / 64)] |= 1 << UInt64(index % 64)
    return sets.reduce(0) { $0 + $1.nonzeroBitCount } == Int(count)
  }

  /// Whether the initialiser related the object to an object in a context. For generated code.
  @inlinable
  public var _$isReaching: Bool { flags.contains(.reaching) }

  /// `_$isReaching` for a class that may have subclasses. Properties of a subclass are set before the state exists. For
  /// generated code.
  @inlinable
  public mutating func _$isReaching<Model: PersistentModel>(
    _ type: Model.Type, at offset: @autoclosure () -> Int
  ) -> Bool {
    flags.contains(.reaching) || _$mayReach(type, at: offset())
  }

  @usableFromInline
  mutating func _$mayReach<Model: PersistentModel>(_ type: Model.Type, at offset: Int) -> Bool {
    guard offset > 0 else { return false }
    let object = unsafe object(of: type, at: offset)
    let actual = unsafe object._withUnsafeGuaranteedRef { Swift.type(of: $0) }
    return actual != type && !actual._$marksInitialRelationships
  }

  /// Inserts a complete object into the context of an object to which its initialiser related it. For generated code.
  public mutating func _$join<Model: PersistentModel>(_ type: Model.Type, at offset: Int) {
    flags.remove(.reaching)
    guard offset > 0 else { return }
    unsafe object(of: type, at: offset).takeUnretainedValue()._$joinRelated()
  }

  /// The object that contains the state as a field. The state must not be used afterwards.
  ///
  /// The optimiser cannot see that the function creates further references to the object. So the initialisers of such
  /// classes are not inlined: the optimiser assumes that the result of an opaque function may have other references.
  private mutating func object<Model: PersistentModel>(of type: Model.Type, at offset: Int) -> Unmanaged<Model> {
    unsafe withUnsafeMutablePointer(to: &self) { unsafe Unmanaged.fromOpaque(UnsafeMutableRawPointer($0) - offset) }
  }
}

// The offset of the state in the objects of a class.

extension ModelState {
  /// The offset of the state; 0 if the class was compiled without field metadata. For generated code.
  public static func _$offset<Model: PersistentModel>(in type: Model.Type) -> Int {
    ClassFields.offset(of: ["_$modelState", "_$ownState"], in: type)
  }

  /// `_$offset(in:)` for a class that is declared in an extension. Returns 0 if the extended type is generic: the
  /// accessors of a generic class may write slots after the last property has a value. For generated code.
  public static func _$offset<Model: PersistentModel>(inExtension type: Model.Type) -> Int {
    let key = ObjectIdentifier(type)
    if let known = offsetsInExtensions.withLock({ $0[key] }) { return known }
    let isGeneric = String(reflecting: type).contains("<")
    let offset = isGeneric ? 0 : _$offset(in: type)
    offsetsInExtensions.withLock { $0[key] = offset }
    return offset
  }
}

/// The offsets of classes that cannot store their own offset. A macro does not know whether an extended type is
/// generic, and a generic type has no static stored properties.
private let offsetsInExtensions = Lock<[ObjectIdentifier: Int]>([:])

/// Finds the offsets of the stored properties of classes.
private enum ClassFields {
  /// The reflection option for class types.
  private static let ofClass: UInt32 = 1

  /// The offset of the first field with one of the names, in bytes; 0 if there is none.
  static func offset(of fields: [String], in type: any AnyObject.Type) -> Int {
    var result = 0
    _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: Self.ofClass)) { name, offset, _, _ in
      guard fields.contains(String(cString: name)) else { return true }
      result = offset
      return false
    }
    return result
  }
}

/// Layouts of classes, for objects without a context. Any thread may use them.
package enum UnboundLayouts {
  private static let known = Lock<[ObjectIdentifier: EntityLayout?]>([:])

  /// The layout of a class, from a schema of only this class; nil if the class is invalid. Containers report the error.
  package static func layout<T: PersistentModel>(of type: T.Type) -> EntityLayout? {
    if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    let layouts = (try? EntityLayout.layouts(of: Schema([type]))) ?? []
    let layout = layouts.first { $0.modelType == type }
    known.withLock { $0[ObjectIdentifier(type)] = .some(layout) }
    return layout
  }
}
