import SwiftSyntax

/// The check in an init accessor whether its property completes the object.
struct SlotCompletion {
  let model: String
  /// The index of the property among the required ones.
  let index: String
  let count: String
  /// Whether the model is final, so that no subclass adds further properties to an object.
  let isFinal: Bool

  /// Whether the state has too few bits for the required properties.
  var isNoted: Bool { (Int(count) ?? 0) > StateMembers.mostInState }
}

/// The slot of a property, and the accessors that use the slot.
struct SlotExpansion {
  let property: StoredProperty
  let index: String
  var completion: SlotCompletion?

  private var slot: String { property.slot }
  private var keyPath: String { "\\.\(property.path)" }
  var hasObservers: Bool { willObserver != nil || didObserver != nil }
  private var willObserver: AccessorDeclSyntax? { property.binding.observer(.willSet) }
  private var didObserver: AccessorDeclSyntax? { property.binding.observer(.didSet) }

  // MARK: Peers

  var peers: [String] {
    var declarations: [String] = [
      "@safe @exclusivity(unchecked) nonisolated(unsafe) private var \(slot)\(slotType)\(slotDefault)"
    ]
    if hasObservers {
      declarations.append("@safe nonisolated(unsafe) private var \(property.observingMark) = false")
    }
    return declarations
  }

  private var slotType: String {
    property.type.map { ": _PersistenceRuntime.Slot<\($0.storedSource)>" } ?? ""
  }

  /// The initial value of the slot. Decoding skips it: the row contains the value, and computing a default may take
  /// longer than decoding the row.
  private var slotDefault: String {
    guard let initializer = property.initializer?.trimmedDescription ?? implicitNil else { return "" }
    let type = property.type.map { "<\($0.storedSource)>" } ?? ""
    return " = _PersistenceRuntime._$isDecoding() ? .fault : _PersistenceRuntime.Slot\(type).value(\(initializer))"
  }

  private var implicitNil: String? {
    (property.type?.isOptional ?? false) ? "nil" : nil
  }

  // MARK: Accessors

  var accessors: [String] {
    var accessors: [String] = [initAccessor, getter, setter(assigning: assignment)]
    if !hasObservers && property.growsInPlace { accessors.append(modifier) }
    return accessors
  }

  /// The accessors of the nonisolated counterpart. Property observers are part of the property itself.
  var twinAccessors: [String] {
    [initAccessor, getter, plainSetter(assigning: assignment)] + (property.growsInPlace ? [modifier] : [])
  }

  /// An init accessor that sets a relationship leaves the inverse to the completion of the object, which updates it.
  var initAccessor: String {
    let isRelating = property.mayBeRelationship
    let relation = isRelating ? "\n  \(members.state)._$didInitialize(initialValue)" : ""
    let state = isRelating || completion != nil ? ", accesses: \(members.state)" : ""
    let note = (completion?.isNoted ?? false) ? ", \(members.required)" : ""
    return """
      @storageRestrictions(initializes: \(slot)\(state)\(note))
      init(initialValue) {
        \(slot) = .value(initialValue)\(relation)\(completed)
      }
      """
  }

  private var completed: String {
    guard let completion else { return "" }
    let arguments = "\(completion.model).self, at: \(completion.model).\(members.offset)"
    let note = completion.isNoted ? ", in: &\(members.required)" : ""
    let reaches = "\(members.state)._$isReaching" + (completion.isFinal ? "" : "(\(arguments))")
    return """

        if \(members.state)._$isComplete(\(completion.index), of: \(completion.count)\(note)), \(reaches) {
          \(members.state)._$join(\(arguments))
        }
      """
  }

  /// The names of state members. In a subclass, the initialiser sets properties before the superclass's state exists.
  private var members: StateMembers { StateMembers(isOwn: index.contains(ModelDeclaration.firstPosition)) }

  private var getter: String {
    guard !property.isValue else { return valueGetter }
    return """
      get {
        if case .value(let value) = \(slot), _$isUntracked(\(keyPath)) {
          return value
        }
        _$access(\(keyPath))
        return \(resolution)
      }
      """
  }

  private var valueGetter: String {
    """
    get {
      if case .value(let value) = \(slot), _$isUntracked(\(keyPath)) {
        return value
      }
      return unsafe _$value(\(index), \(keyPath), &\(slot))
    }
    """
  }

  private var resolution: String {
    let arguments = "\(index), slot: { self.\(slot) }, store: { self.\(slot) = .value($0) }"
    guard property.isOutOfRow else { return "_$resolve(\(arguments))" }
    let method = property.isTransformable ? "transformed" : "slot"
    return "_$resolveOutOfRow(\(arguments), row: { $0.outOfRow(\(index)) { $0.\(method)(\(index)) } })"
  }

  private var assignment: String {
    property.isValue && hasOwnMaskBit ? valueAssignment : overloadedAssignment
  }

  private var valueAssignment: String {
    """
    if _$mayChange(\(slot), at: \(index)) {
      if _$isObserved { _$willSet(\(keyPath), at: \(index)) }
      \(slot) = .value(newValue)
      if _$isObserved { _$didSet(\(keyPath)) }
    }
    """
  }

  /// Properties from the 64th on share a bit of the object's mask. In classes that may have a superclass, only the
  /// compiler knows the positions of properties.
  private var hasOwnMaskBit: Bool { Int(index).map { $0 < 63 } ?? false }

  private var overloadedAssignment: String {
    "_$assign(newValue, at: \(index), keyPath: \(keyPath), slot: { self.\(slot) }, store: { self.\(slot) = .value($0) })"
  }

  func setter(assigning assignment: String) -> String {
    hasObservers ? observedSetter(assigning: assignment) : plainSetter(assigning: assignment)
  }

  private func plainSetter(assigning assignment: String) -> String {
    """
    set {
      \(assignment)
    }
    """
  }

  /// Observers behave the same as those of a plain stored property: an observer's own assignment does not call it
  /// again.
  private func observedSetter(assigning assignment: String) -> String {
    let steps = [oldValueBinding, observing, willSetCall, assignment, didSetCall].compactMap { $0?.indented }
    return """
      set {
        if \(property.observingMark) {
          \(assignment)
          return
        }
      \(steps.joined(separator: "\n"))
      }
      """
  }

  private var observing: String {
    """
    \(property.observingMark) = true
    defer {
      \(property.observingMark) = false
    }
    """
  }

  private var oldValueName: String {
    didObserver?.parameters?.name.text ?? "oldValue"
  }

  private var oldValueBinding: String? {
    guard let didObserver, didObserver.mentions(oldValueName) else { return nil }
    return "let \(oldValueName) = self.\(property.code)"
  }

  private var willSetCall: String? {
    let rename = willObserver?.parameters.map { "\n  let \($0.name.text) = newValue" } ?? ""
    return willObserver?.body.map { call(of: "_$willSet", $0, after: rename) }
  }

  private var didSetCall: String? {
    didObserver?.body.map { call(of: "_$didSet", $0) }
  }

  /// The body of an observer, as a function that is called immediately.
  private func call(of name: String, _ body: CodeBlockSyntax, after binding: String = "") -> String {
    """
    do {\(binding)
      func \(name)() \(body.trimmedDescription)
      \(name)()
    }
    """
  }

  /// Modifies a collection in place: moves the value out of the slot, so that no copy is made.
  private var modifier: String {
    guard !property.isValue else { return valueModifier }
    return """
      _modify {
        var value = self.\(property.isIsolated ? property.twin : property.code)
        let change = _$willModify(\(index), keyPath: \(keyPath), value)
        \(slot) = .fault
        defer {
          \(slot) = .value(_$accept(value, at: \(index)))
          _$didModify(change, keyPath: \(keyPath), value)
        }
        yield &value
      }
      """
  }

  private var valueModifier: String {
    """
    _modify {
      var change = unsafe _$beginChange(\(index), \(keyPath), &\(slot))
      defer {
        unsafe _$endChange(\(index), change, &\(slot))
      }
      yield &change.value
    }
    """
  }
}

extension AccessorDeclSyntax {
  fileprivate func mentions(_ name: String) -> Bool {
    parameters != nil || (body?.tokens(viewMode: .sourceAccurate).contains { $0.text == name } ?? false)
  }
}
