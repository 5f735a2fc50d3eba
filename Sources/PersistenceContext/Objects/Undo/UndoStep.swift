import PersistenceRuntime

/// What some changes of a context replaced: how each object that they touched was when they began.
///
/// Undoing them is making those objects what they were, by changes like any others. Those are noted too, and so are what
/// can be done again.
final class UndoStep {
  /// How an object was.
  private struct Memento {
    let object: any PersistentModel
    let map: IdentityMap
    /// Whether the context had the object; nil when that did not change.
    var wasPresent: Bool?
    /// What its properties were that changed.
    var values: [Int: Any] = [:]
  }

  private var places: [ObjectIdentifier: Int] = [:]
  private var mementos: ContiguousArray<Memento> = []

  /// Whether there is nothing to make undone: what came has gone again.
  func isVoid(in context: ModelContext) -> Bool {
    mementos.allSatisfy { memento in
      switch memento.wasPresent {
      case true?: false
      case false?: memento.object.modelContext !== context || memento.object.isDeleted
      case nil: memento.values.isEmpty
      }
    }
  }

  // MARK: Noting

  /// Notes that an object comes into the context.
  func noteInsertion<T: PersistentModel>(of model: T, in map: IdentityMap) {
    note(model, in: map) { memento in
      if memento.wasPresent == nil { memento.wasPresent = false }
    }
  }

  /// Notes that an object leaves the context, with what it relates to, which the deletion takes apart.
  func noteDeletion<T: PersistentModel>(of model: T, in map: IdentityMap) {
    let place = place(of: model, in: map)
    guard mementos[place].wasPresent == nil else { return }
    mementos[place].wasPresent = true
    for property in map.entity.properties where property.isRelationship || property.envelope != nil {
      // Everything that a row that is to come back needs has to be in memory.
      let wasUnread = model._$state.pointee.failedRead(at: property.position) != nil
      let value = model[keyPath: property.keyPath]
      if map.context?.noteIncomplete(model, property.position, wasUnread: wasUnread) == true { continue }
      guard let value, property.isRelationship else { continue }
      if mementos[place].values[property.position] == nil { mementos[place].values[property.position] = value }
    }
  }

  /// Whether the step has the deletion of an object.
  func hasDeletion(of model: AnyObject) -> Bool {
    places[ObjectIdentifier(model)].map { mementos[$0].wasPresent == true } ?? false
  }

  /// Notes what a relationship of a deleted object was, if it could not be read when that was deleted.
  func completeDeletion<T: PersistentModel>(of model: T, at position: Int, in map: IdentityMap) {
    let property = map.entity.properties[position]
    guard let place = places[ObjectIdentifier(model)], property.isRelationship,
      mementos[place].values[position] == nil
    else { return }
    let value = model[keyPath: property.keyPath]
    mementos[place].values[position] = value
  }

  /// Notes what a property is that changes.
  func noteChange<T: PersistentModel>(of model: T, at position: Int, in map: IdentityMap) {
    let place = place(of: model, in: map)
    guard mementos[place].wasPresent != false, mementos[place].values[position] == nil else { return }
    // Read outside of the list: reading may load other objects, and make them known.
    let value = model[keyPath: map.entity.properties[position].keyPath]
    guard model._$state.pointee.failedRead(at: position) == nil else { return }
    mementos[place].values[position] = value
  }

  /// Forgets that an object came: it turned out to be a row that was there before.
  func forgetInsertion(of model: AnyObject) {
    guard let place = places[ObjectIdentifier(model)] else { return }
    mementos[place].wasPresent = nil
  }

  private func note<T: PersistentModel>(_ model: T, in map: IdentityMap, _ change: (inout Memento) -> Void) {
    change(&mementos[place(of: model, in: map)])
  }

  private func place<T: PersistentModel>(of model: T, in map: IdentityMap) -> Int {
    if let known = places[ObjectIdentifier(model)] { return known }
    places[ObjectIdentifier(model)] = mementos.count
    mementos.append(Memento(object: model, map: map))
    return mementos.count - 1
  }

  // MARK: Going back

  /// Makes every object what it was.
  func revert(in context: ModelContext) {
    // All of them first: what they are related to is known to this step, and would be related twice.
    for memento in mementos where memento.wasPresent == true { emptyRelationships(of: memento.object, memento.map) }
    for memento in mementos where memento.wasPresent == true { bringBack(memento.object, in: context) }
    // To-one relationships first: they say which objects lists hold, and the lists then say in which order.
    for memento in mementos where memento.wasPresent != false { setValues(memento, in: context, lists: false) }
    for memento in mementos where memento.wasPresent != false { setValues(memento, in: context, lists: true) }
    for memento in mementos.reversed() where memento.wasPresent == false { takeOut(memento.object, of: context) }
  }

  /// Takes out of an object that is to come back what its deletion took apart. Nobody can see it meanwhile.
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
    context.insert(model)
    guard isGone, key != 0, let map = state.pointee.identityMap else { return }
    // The key of a row that was committed is never given again, so the row can come back as what it was.
    state.pointee.ensureExtras().formerRow = (map.store.storeEntity(of: map.entity), key)
  }

  private func takeOut(_ model: some PersistentModel, of context: ModelContext) {
    if model.modelContext === context, !model.isDeleted { context.delete(model) }
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

  /// What of a relationship can be restored: objects that other contexts or processes deleted meanwhile cannot.
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
