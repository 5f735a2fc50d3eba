import PersistenceRuntime

/// One undo step: the state of each changed object before the first change of the step.
///
/// An undo restores that state by ordinary changes. These changes are recorded as well, so that they can be redone.
final class UndoStep {
  /// The state of an object before the step.
  private struct Memento {
    let object: any PersistentModel
    let map: IdentityMap
    /// Whether the object was in the context before the step; nil if the step neither inserted nor deleted it.
    var wasPresent: Bool?
    /// The former values of the properties that the step changed, by position.
    var values: [Int: Any] = [:]
  }

  private var indexes: [ObjectIdentifier: Int] = [:]
  private var mementos: ContiguousArray<Memento> = []

  /// True if an undo would change nothing: the step only inserted objects, and all of them were removed again.
  func isVoid(in context: ModelContext) -> Bool {
    mementos.allSatisfy { memento in
      switch memento.wasPresent {
      case true?: false
      case false?: memento.object.modelContext !== context || memento.object.isDeleted
      case nil: memento.values.isEmpty
      }
    }
  }

  // MARK: Recording

  func noteInsertion<T: PersistentModel>(of model: T, in map: IdentityMap) {
    note(model, in: map) { memento in
      if memento.wasPresent == nil { memento.wasPresent = false }
    }
  }

  /// Records the deletion of an object, and the values of its relationships, which the deletion changes.
  func noteDeletion<T: PersistentModel>(of model: T, in map: IdentityMap) {
    let index = index(of: model, in: map)
    guard mementos[index].wasPresent == nil else { return }
    mementos[index].wasPresent = true
    for property in map.entity.properties where property.isRelationship || property.outOfRowValue != nil {
      // An undo can restore the row only if all of its values are in memory, so they are read now.
      let wasUnread = model._$state.pointee.failedRead(at: property.position) != nil
      let value = model[keyPath: property.keyPath]
      if map.context?.noteIncomplete(model, property.position, wasUnread: wasUnread) == true { continue }
      guard let value, property.isRelationship else { continue }
      if mementos[index].values[property.position] == nil { mementos[index].values[property.position] = value }
    }
  }

  /// Whether the step recorded the deletion of an object.
  func hasDeletion(of model: AnyObject) -> Bool {
    indexes[ObjectIdentifier(model)].map { mementos[$0].wasPresent == true } ?? false
  }

  /// Records a relationship that could not be read when its object was deleted.
  func completeDeletion<T: PersistentModel>(of model: T, at position: Int, in map: IdentityMap) {
    let property = map.entity.properties[position]
    guard let index = indexes[ObjectIdentifier(model)], property.isRelationship,
      mementos[index].values[position] == nil
    else { return }
    let value = model[keyPath: property.keyPath]
    mementos[index].values[position] = value
  }

  /// Records the value of a property before its change.
  func noteChange<T: PersistentModel>(of model: T, at position: Int, in map: IdentityMap) {
    let index = index(of: model, in: map)
    guard mementos[index].wasPresent != false, mementos[index].values[position] == nil else { return }
    // The value is read before the array is accessed, because a read may load objects and append them to the array.
    let value = model[keyPath: map.entity.properties[position].keyPath]
    guard model._$state.pointee.failedRead(at: position) == nil else { return }
    mementos[index].values[position] = value
  }

  /// Forgets an insertion: the save updated an existing row with the object's values.
  func forgetInsertion(of model: AnyObject) {
    guard let index = indexes[ObjectIdentifier(model)] else { return }
    mementos[index].wasPresent = nil
  }

  private func note<T: PersistentModel>(_ model: T, in map: IdentityMap, _ change: (inout Memento) -> Void) {
    change(&mementos[index(of: model, in: map)])
  }

  private func index<T: PersistentModel>(of model: T, in map: IdentityMap) -> Int {
    if let known = indexes[ObjectIdentifier(model)] { return known }
    indexes[ObjectIdentifier(model)] = mementos.count
    mementos.append(Memento(object: model, map: map))
    return mementos.count - 1
  }

  // MARK: Undo

  /// Restores the state of every object. No autosave runs meanwhile, so that a save contains the whole undo.
  func revert(in context: ModelContext) {
    // Relationships are emptied first. Otherwise the insertion and the recorded values would both link the objects.
    for memento in mementos where memento.wasPresent == true { emptyRelationships(of: memento.object, memento.map) }
    for memento in mementos where memento.wasPresent == true { bringBack(memento.object, in: context) }
    // To-one relationships are set first, and determine the members of lists. Then the lists are set, to order them.
    for memento in mementos where memento.wasPresent != false { setValues(memento, in: context, lists: false) }
    for memento in mementos where memento.wasPresent != false { setValues(memento, in: context, lists: true) }
    for memento in mementos.reversed() where memento.wasPresent == false { takeOut(memento.object, of: context) }
  }

  /// Empties the relationships of a deleted object before its insertion. No observer is notified.
  private func emptyRelationships<T: PersistentModel>(of model: T, _ map: IdentityMap) {
    guard model.isDeleted || model._$state.pointee.identityMap == nil else { return }
    for relationship in map.entity.relationships where relationship.deleteRule != .deny {
      guard relationship.deleteRule != .noAction, relationship.isToMany || relationship.isOptional else { continue }
      _ = model._$edit(.fill, at: relationship.position)
      model._$state.pointee.extras?.list(at: relationship.position)?.restart()
    }
  }

  private func bringBack<T: PersistentModel>(_ model: T, in context: ModelContext) {
    let state = model._$state
    let (isGone, key) = (state.pointee.flags.contains(.gone), state.pointee.primaryKey)
    context.insertWithoutSaving(model)
    guard isGone, key != 0, let map = state.pointee.identityMap else { return }
    // Keys of committed rows are never reused, so the row gets its former key again.
    state.pointee.ensureExtras().formerRow = (map.store.storeEntity(of: map.entity), key)
  }

  private func takeOut(_ model: some PersistentModel, of context: ModelContext) {
    if model.modelContext === context, !model.isDeleted { context.deleteWithoutSaving(model) }
  }

  private func setValues(_ memento: Memento, in context: ModelContext, lists: Bool) {
    setValues(of: memento.object, memento, in: context, lists: lists)
  }

  private func setValues<T: PersistentModel>(
    of model: T, _ memento: Memento, in context: ModelContext, lists: Bool
  ) {
    guard model.modelContext === context, !model.isDeleted else { return }
    for (position, value) in memento.values.sorted(by: { $0.key < $1.key }) {
      let property = memento.map.entity.properties[position]
      let isList = property.relationship?.isToMany ?? false
      guard isList == lists else { continue }
      guard let value = property.isRelationship ? living(value, property, in: context) : value else { continue }
      model._$set(value, at: property.keyPath)
    }
  }

  /// Returns the recorded value of a relationship, without objects that are no longer in the context. Returns nil for a
  /// to-one relationship to such an object.
  private func living(_ value: Any, _ property: PropertyLayout, in context: ModelContext) -> Any? {
    guard let relationship = property.relationship else { return value }
    func isLiving(_ model: any PersistentModel) -> Bool { model.modelContext === context && !model.isDeleted }
    guard relationship.isToMany else {
      guard let model = ModelContext.model(value) else { return value }
      return isLiving(model) ? value : nil
    }
    let models = ModelContext.models(value)
    guard !models.allSatisfy(isLiving) else { return value }
    func typed<Destination: PersistentModel>(_ type: Destination.Type) -> Any {
      models.filter(isLiving).compactMap { $0 as? Destination }
    }
    return typed(relationship.destinationType)
  }
}
