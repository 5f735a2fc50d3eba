import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

// Both sides of a relationship always agree: a change of one side updates its inverse here.

extension PersistentModel {
  /// The layout of a relationship, from the context's schema or, for an object without a context, from its class.
  func _$relationship(at position: Int) -> RelationshipLayout? {
    if let map = _$state.pointee.identityMap { return map.entity.relationship(at: position) }
    return UnboundLayouts.layout(of: type(of: self))?.relationship(at: position)
  }

  package func _$edit(_ kind: RelationshipSlotOperation.Kind, _ object: AnyObject? = nil, at position: Int)
    -> RelationshipSlotOperation
  {
    var edit = RelationshipSlotOperation(kind, object)
    _$relate(&edit, position)
    return edit
  }

  /// Adds this object to a relationship's inverse, the property of `other` that refers back.
  func _$link<Other: PersistentModel>(_ other: Other, _ relationship: RelationshipLayout) {
    guard _$mayUse(other) else { return _$postponeLinks() }
    guard let inverse = relationship.inverse else { return _$noteReference() }
    guard !other.isDeleted, !_$isBothEnds(other, relationship) else { return }
    if inverse.isToMany {
      other._$receive(self, at: inverse.position)
    } else {
      other._$take(self, at: inverse.position, from: relationship)
    }
  }

  func _$noteReference() { _$state.pointee.identityMap?.context?.referrers.forget() }

  /// Removes this object from a relationship's inverse. An object that is not usable on this thread was never linked.
  func _$unlink<Other: PersistentModel>(_ other: Other, _ relationship: RelationshipLayout) {
    guard _$mayUse(other) else { return }
    guard let inverse = relationship.inverse, !other.isDeleted, !_$isBothEnds(other, relationship) else { return }
    if inverse.isToMany {
      other._$lose(self, at: inverse.position)
    } else {
      other._$release(self, at: inverse)
    }
  }

  /// Whether an object is related to itself by a relationship that is its own inverse.
  private func _$isBothEnds<Other: PersistentModel>(_ other: Other, _ relationship: RelationshipLayout) -> Bool {
    other === self && relationship.isSymmetric
  }

  // MARK: Notifications before a change

  /// Before a relationship changes, notifies the observers of the inverses that the change will set, each once.
  ///
  /// - Parameter prepare: Called before the first observer is notified.
  /// - Returns: True if observers were notified. The change must then be computed again: observers may change models.
  func _$announce(
    _ ends: inout AnnouncedEnds, leaving old: ContiguousArray<AnyObject>, entering new: ContiguousArray<AnyObject>,
    _ relationship: RelationshipLayout, _ prepare: () -> Void = {}
  ) -> Bool {
    guard osd_is_observed(), relationship.inverse != nil, !isDeleted else { return false }
    _$addEnds(&ends, leaving: old, entering: new, relationship)
    return ends.announce(prepare)
  }

  func _$addEnds(
    _ ends: inout AnnouncedEnds, leaving old: ContiguousArray<AnyObject>, entering new: ContiguousArray<AnyObject>,
    _ relationship: RelationshipLayout
  ) {
    for object in old {
      _$addEnds(of: EntityLayout.model(object, as: relationship.destinationType), relationship, isLinked: false, &ends)
    }
    for object in new {
      _$addEnds(of: EntityLayout.model(object, as: relationship.destinationType), relationship, isLinked: true, &ends)
    }
  }

  /// Adds the properties of the other object that `_$link` or `_$unlink` is about to set.
  private func _$addEnds<Other: PersistentModel>(
    of other: Other, _ relationship: RelationshipLayout, isLinked: Bool, _ ends: inout AnnouncedEnds
  ) {
    guard let inverse = relationship.inverse, _$mayUse(other), !other.isDeleted, !_$isBothEnds(other, relationship)
    else { return }
    if !inverse.isToMany {
      let held = other._$relatedObject(at: inverse.position)
      if !isLinked {
        // A required relationship keeps its object, so its observers are not notified.
        guard inverse.isOptional, held === self || other._$state.pointee.failedRead(at: inverse.position) != nil
        else { return }
      } else if held === self {
        return
      } else if let held, relationship.isToMany || relationship.isOptional {
        ends.add(held, relationship.position)
      }
    }
    ends.add(other, inverse.position)
  }

  /// Sets the slot of a relationship as a load does: no observer is notified.
  func _$fill(_ objects: ContiguousArray<AnyObject>, at position: Int) {
    var edit = RelationshipSlotOperation(.fill)
    edit.objects = objects
    _$relate(&edit, position)
  }

  // MARK: To-one relationships

  /// Sets a to-one relationship of this object to another object, and removes this object from the previous one.
  private func _$take(_ owner: some PersistentModel, at position: Int, from relationship: RelationshipLayout) {
    let previous = _$relatedObject(at: position)
    guard previous !== owner else {
      // The relationship had lost its target (``Orphan``), and is now set to the same target again.
      _$state.pointee.identityMap?.context?.orphans.remove(self, at: position)
      return
    }
    _$keepOriginalReference(at: position)
    _$willChange(position)
    let edit = _$edit(.set, owner, at: position)
    _$keepMark(position)
    guard let previous = _$replaced(previous, by: edit, at: position), previous !== owner else { return }
    // If a relationship that is its own inverse referred to its own object, the inverse is the slot that was just set.
    guard previous !== self || !relationship.isSymmetric else { return }
    _$leave(previous, relationship)
  }

  /// Removes this object from the relationship of a previous owner.
  private func _$leave(_ previous: any PersistentModel, _ relationship: RelationshipLayout) {
    if relationship.isToMany {
      previous._$lose(self, at: relationship.position)
    } else if !previous.isDeleted {
      previous._$release(self, at: relationship.position, isOptional: relationship.isOptional)
    }
  }

  /// Returns the object that a change of a to-one relationship replaced. This object differs from `known` if an
  /// observer of the change has set the relationship or rolled back.
  private func _$replaced(
    _ known: (any PersistentModel)?, by edit: RelationshipSlotOperation, at position: Int
  ) -> (any PersistentModel)? {
    guard _$isObserved, Self._$isGenerated, let relationship = _$relationship(at: position) else { return known }
    return edit.replaced.map { EntityLayout.model($0, as: relationship.destinationType) }
  }

  private func _$release(_ owner: some PersistentModel, at inverse: RelationshipLayout.Inverse) {
    // An unreadable relationship is assumed to refer to `owner`. It must be read before a save can write it.
    let held = _$relatedObject(at: inverse.position)
    guard held === owner || _$state.pointee.failedRead(at: inverse.position) != nil else { return }
    _$release(owner, at: inverse.position, isOptional: inverse.isOptional)
  }

  /// Sets a to-one relationship to nil. A required one keeps its object; the next save throws unless it is set again.
  private func _$release(_ owner: some PersistentModel, at position: Int, isOptional: Bool) {
    _$keepOriginalReference(at: position)
    guard isOptional else {
      _$willChange(position)
      _$state.pointee.identityMap?.context?.orphans.append(Orphan(object: self, position: position, owner: owner))
      return
    }
    _$willChange(position)
    let edit = _$edit(.clear, at: position)
    _$keepMark(position)
    guard let other = _$replaced(nil, by: edit, at: position), other !== owner else { return }
    // An observer had set the relationship to another object. This object was removed too, so its inverse is updated.
    if let relationship = _$relationship(at: position) { _$unlink(other, relationship) }
  }

  /// Marks a relationship as changed again, if one of its observers saved before the change was made.
  private func _$keepMark(_ position: Int) {
    guard _$isObserved, _$state.pointee.identityMap != nil, !_$isDirty(position) else { return }
    _$willChange(position)
  }

  /// The `ListChanges` object after the observers of a list were notified: a new object if an observer saved.
  private func _$current(_ changes: ListChanges) -> ListChanges {
    guard _$isObserved else { return changes }
    _$keepMark(changes.position)
    return _$state.pointee.listChanges(at: changes.position)
  }

  /// The object of a to-one relationship, read on demand.
  func _$relatedObject(at position: Int) -> (any PersistentModel)? {
    let edit = _$edit(.find, at: position)
    if edit.isLoaded {
      guard let object = edit.related, let relationship = _$relationship(at: position) else { return nil }
      return EntityLayout.model(object, as: relationship.destinationType)
    }
    guard let map = _$state.pointee.identityMap, _$state.pointee.primaryKey != 0 else { return nil }
    return self[keyPath: map.entity.properties[position].keyPath].flatMap(ModelContext.model)
  }

  // MARK: To-many relationships

  /// Appends an object to a to-many relationship.
  private func _$receive(_ member: some PersistentModel, at position: Int) {
    _$willChange(position)
    let changes = _$state.pointee.listChanges(at: position)
    if !changes.stale.isEmpty { _$takeOutStale(changes) }
    // The list of an object that had left its context may still contain the member, which is then not appended again.
    if _$state.pointee.hasLeft, _$hasMember(member, changes) { return }
    var edit = _$edit(.append, member, at: position)
    if !edit.isLoaded, _$state.pointee.primaryKey == 0, changes.members == nil {
      // An object without a row has no members in the store. So its unloaded list starts empty.
      _ = _$edit(.fill, at: position)
      edit = _$edit(.append, member, at: position)
    }
    let current = _$current(changes)
    if edit.isLoaded {
      current.members?.append(member)
      current.noteMove(from: edit.count - 1)
    }
    if !edit.isLoaded || _$keepsPairs(at: position) { current.noteAddition(of: member) }
  }

  /// Whether a list contains an object. The members are stored as a set, because searching the list for each of n
  /// objects would take n² steps.
  func _$hasMember(_ member: some PersistentModel, _ changes: ListChanges) -> Bool {
    if changes.members == nil {
      let held = _$edit(.read, at: changes.position)
      guard held.isLoaded else { return false }
      changes.members = ListMembers(held.objects)
    }
    return changes.members?.contains(member) == true
  }

  /// Removes an object from a to-many relationship. The array contains it until the relationship is read again.
  private func _$lose(_ member: some PersistentModel, at position: Int) {
    guard !isDeleted else { return }
    _$willChange(position)
    let former = _$state.pointee.listChanges(at: position)
    let isLoaded = _$edit(.announce, at: position).isLoaded
    let changes = _$current(former)
    if isLoaded {
      changes.noteStale(member)
      _$state.pointee.flags.insert(.stale)
    }
    if !isLoaded || _$keepsPairs(at: position) { changes.noteRemoval(of: member) }
  }

  /// True if the relationship has a junction table, so that a save writes each addition and each removal.
  func _$keepsPairs(at position: Int) -> Bool {
    if position < PropertyMask.sharedPosition, let map = _$state.pointee.identityMap {
      return map.entity.pairsMask & PropertyMask.bit(position) != 0
    }
    if case .links = _$relationship(at: position)?.storage { return true }
    return false
  }

  /// Removes a deleted object from a relationship of this object that has no inverse.
  func _$letGo(of target: some PersistentModel, _ relationship: RelationshipLayout) {
    if relationship.isToMany {
      _$lose(target, at: relationship.position)
    } else {
      _$release(target, at: relationship.position, isOptional: relationship.isOptional)
    }
  }

  /// Empties a relationship without a column, so that the next access reads it. The observers of the relationship are
  /// notified here, because the emptying of a slot does not notify them.
  func _$forgetRead(_ relationship: RelationshipLayout) {
    guard !isDeleted else { return }
    _ = _$edit(relationship.isToMany ? .announce : .clear, at: relationship.position)
    _ = _$edit(.release, at: relationship.position)
  }

  func _$takeOutStale(_ changes: ListChanges) {
    var edit = RelationshipSlotOperation(.takeOut)
    edit.removal = changes.takeStale()
    _$relate(&edit, changes.position)
  }

  /// Applies pending removals to the arrays of to-many relationships before one of the arrays is read.
  @usableFromInline
  func _$flushStale() {
    _$state.pointee.flags.remove(.stale)
    for changes in _$state.pointee.extras?.lists ?? [] where !changes.stale.isEmpty { _$takeOutStale(changes) }
  }
}

/// A reference from a new model to an object of another context.
struct ForeignReference {
  let model: any PersistentModel
  let relationship: RelationshipLayout
  let related: any PersistentModel
}

/// An object whose required relationship must be set before the save: its target was deleted or removed the object.
struct Orphan {
  let object: any PersistentModel
  let position: Int
  let owner: any PersistentModel
}

extension PersistentModel {
  /// Returns the length of the common prefix of a list and its former members, if only the members after this prefix
  /// are compared now. Returns nil if the whole list must be compared.
  ///
  /// One in-place change may also change other parts of the list. So the whole list is compared before a save, and once
  /// the number of such changes reaches an eighth of the length of the prefix.
  func _$changedEnd<Destination: PersistentModel>(of value: [Destination], _ changes: ListChanges) -> Int? {
    guard let start = changes.members?.commonStart(with: value), changes.uncomparedSteps < start / 8,
      _$canFollow(value[start...], changes)
    else { return nil }
    return start
  }

  /// Updates the inverses after a change at the end of a list.
  func _$reconcileEnd<Destination: PersistentModel>(
    _ value: [Destination], from start: Int, _ changes: ListChanges, _ relationship: RelationshipLayout,
    _ ends: AnnouncedEnds
  ) {
    if changes.uncomparedSteps == 0 { _$compareLater(changes) }
    changes.uncomparedSteps += 1
    if value.count > start {
      _$followGrowth(of: value, from: start, changes, relationship, ends)
    } else {
      _$followLoss(from: start, changes, relationship, Destination.self, ends)
    }
  }

  /// True if nothing was appended, or only one object: a new member that `_$admit(_:at:)` does not replace by another.
  private func _$canFollow<Destination: PersistentModel>(
    _ arrived: ArraySlice<Destination>, _ changes: ListChanges
  ) -> Bool {
    guard let first = arrived.first else { return true }
    // Several appended objects need the full comparison.
    guard arrived.count == 1, changes.members?.contains(first) == false else { return false }
    // The state of an actor must not be read here before the actor runs on the executor of this context.
    guard first._$isHere else { return false }
    guard let context = _$state.pointee.identityMap?.context, let map = first._$state.pointee.identityMap else {
      return true
    }
    return map.context === context
  }

  private func _$followGrowth<Destination: PersistentModel>(
    of value: [Destination], from start: Int, _ changes: ListChanges, _ relationship: RelationshipLayout,
    _ ends: AnnouncedEnds
  ) {
    let keepsPairs = _$keepsPairs(at: relationship.position)
    changes.noteMove(from: start)
    for member in value[start...] {
      _ = _$admit(member, at: changes.position)
      changes.members?.append(member)
      if keepsPairs { changes.noteAddition(of: member) }
      ends.apply { _$link(member, relationship) }
      _$join(member, among: value, at: changes.position)
    }
  }

  private func _$followLoss<Destination: PersistentModel>(
    from start: Int, _ changes: ListChanges, _ relationship: RelationshipLayout, _ type: Destination.Type,
    _ ends: AnnouncedEnds
  ) {
    guard let lost = changes.members.map({ ContiguousArray($0.objects[start...]) }) else { return }
    let keepsPairs = _$keepsPairs(at: relationship.position)
    changes.members?.removeLast(lost.count)
    // After the removal, the recorded index of the first moved member may be too high.
    if changes.firstMoved != .max { changes.noteMove(from: start) }
    ends.apply {
      for object in lost {
        if keepsPairs { changes.noteRemoval(of: object) }
        _$unlink(unsafeDowncast(object, to: Destination.self), relationship)
      }
    }
  }

  // MARK: Comparison

  private func _$compareLater(_ changes: ListChanges) {
    _$state.pointee.identityMap?.context?.uncomparedLists.append((self, changes.position))
  }

  /// Compares the whole list with `members`, the members whose inverses are up to date, and updates the other inverses.
  func _$compareList(at position: Int) {
    guard let changes = _$state.pointee.extras?.list(at: position), changes.uncomparedSteps > 0 else { return }
    changes.uncomparedSteps = 0
    _$applyLinks()
    let held = _$edit(.read, at: position)
    guard held.isLoaded, let known = changes.members?.objects, !known.isSame(as: held.objects) else { return }
    _$fill(known, at: position)
    _$setModels(held.objects, at: position)
  }

  private func _$setModels(_ objects: ContiguousArray<AnyObject>, at position: Int) {
    guard let relationship = _$relationship(at: position),
      let keyPath = _$state.pointee.identityMap?.entity.properties[position].keyPath
    else { return }
    func set<Destination: PersistentModel>(_ type: Destination.Type) {
      let value = objects.map { unsafeDowncast($0, to: Destination.self) }
      if let path = keyPath as? ReferenceWritableKeyPath<Self, [Destination]> { self[keyPath: path] = value }
      if let path = keyPath as? ReferenceWritableKeyPath<Self, [Destination]?> { self[keyPath: path] = value }
    }
    set(relationship.destinationType)
  }
}

extension ModelContext {
  /// Compares the lists that were compared only at their end when they changed.
  func compareLists() {
    guard !uncomparedLists.isEmpty else { return }
    let lists = uncomparedLists
    uncomparedLists = []
    for (model, position) in lists { compare(model, at: position) }
  }

  private func compare<Model: PersistentModel>(_ model: Model, at position: Int) {
    guard model._$state.pointee.identityMap?.context === self else { return }
    model._$compareList(at: position)
  }
}

/// An index of the objects that refer to each object by relationships without an inverse, for a series of deletions.
///
/// Without the index, each deletion searches all objects, so n deletions take n² steps. The index is created after a
/// few searches and is valid until references may have changed. References of rows that are read meanwhile are added.
///
/// Functions that drop the index return it, and the caller releases it. The index may hold the last references to new
/// objects, whose deinitialisers may delete and insert. That must not happen during a mutation of the index.
struct ReferrerIndex {
  /// An object that refers to another. It is retained only while its insertion is pending.
  struct Referrer {
    /// The map of the object's class, for look-ups: the row may change to a class without the relationship.
    let map: IdentityMap
    let relationship: RelationshipLayout
    let key: Int64
    let inserted: (any PersistentModel)?

    /// The objects of the row that are still alive.
    var objects: [any PersistentModel] { inserted.map { [$0] } ?? map.objects(ofRow: key) }
  }

  typealias Referrers = [ObjectIdentifier: ContiguousArray<Referrer>]

  /// The number of searches before an index is created.
  private static let fewSearches = 4

  private var searches = 0
  /// The objects that refer to each target, by the identity of the target. Some may no longer refer to it.
  private var referrers: Referrers?
  /// The number of references and objects in the index.
  private var size = 0
  /// The index is dropped when it exceeds this size, because a new search is then as fast as an update of the index.
  private var limit = 0
  /// The rows that were read since the index was created. ``readCount`` is their number.
  private var reads: [Read] = []
  private var readCount = 0
  /// The number of running reads. The rows of these reads are not known yet.
  private var openReads = 0

  /// Whether an index exists. If so, the rows of later reads are recorded for it.
  var isKept: Bool { referrers != nil }

  /// The index; nil if it lacks the references of rows that were read since its creation.
  var current: Referrers? { openReads == 0 && reads.isEmpty ? referrers : nil }

  /// Counts a search. Returns true if an index should be created.
  mutating func noteSearch() -> Bool {
    searches += 1
    return searches >= Self.fewSearches && openReads == 0
  }

  /// - Parameter size: The number of references and objects.
  @discardableResult
  mutating func keep(_ referrers: Referrers, size: Int) -> Referrers? {
    let former = forgetIndex()
    self.referrers = referrers
    self.size = size
    limit = 2 * size + 1_024
    return former
  }

  // MARK: Reads

  typealias Read = (map: IdentityMap, keys: [Int64])

  mutating func beginRead() { openReads += 1 }

  /// - Parameters:
  ///   - map: The map of the rows.
  ///   - isComplete: Whether the keys of all rows that became objects are known.
  ///   - keys: The keys of these rows.
  @discardableResult
  mutating func endRead(of map: IdentityMap, isComplete: Bool, keys: @autoclosure () -> [Int64]) -> Referrers? {
    openReads -= 1
    return isComplete ? note(keys(), of: map) : forget()
  }

  /// Records rows that were read, so that the references of their objects are added to the index later.
  @discardableResult
  mutating func note(_ keys: @autoclosure () -> [Int64], of map: IdentityMap) -> Referrers? {
    guard isKept, map.entity.refersOneWayInFamily else { return nil }
    // Models that do not use the macro do not report later changes of references.
    guard map.entity.family.allSatisfy({ $0.modelType._$isGenerated }) else { return forget() }
    let keys = keys()
    readCount += keys.count
    guard readCount <= limit else { return forgetIndex() }
    if !keys.isEmpty { reads.append((map, keys)) }
    return nil
  }

  /// Moves the index to the caller, with the rows that were read since its creation; nil if no rows were read.
  mutating func takeReads() -> (referrers: Referrers, reads: [Read])? {
    guard openReads == 0, !reads.isEmpty, let known = referrers else { return nil }
    defer { (referrers, reads) = (nil, []) }
    return (known, reads)
  }

  @discardableResult
  mutating func putBack(_ referrers: Referrers, growth: Int) -> Referrers? {
    size += growth
    guard size <= limit else { return forgetIndex() }
    self.referrers = referrers
    return nil
  }

  private mutating func forgetIndex() -> Referrers? {
    let former = referrers
    (referrers, reads, readCount) = (nil, [], 0)
    return former
  }

  /// Drops the index, because references may change from now on.
  @discardableResult
  mutating func forget() -> Referrers? {
    guard searches > 0 else { return nil }
    searches = 0
    return forgetIndex()
  }
}
