import SwiftSyntax

/// The data of a check in an init accessor: whether all required properties have values after this assignment.
struct SlotCompletion {
  let model: String
  /// The index of the property among the properties that an initialiser must set.
  let index: String
  let count: String
  /// Whether the class is final. If not, an object may have further properties, which a subclass declares.
  let isFinal: Bool

  /// Whether the object needs a separate set of assigned properties, because the state has too few bits for them.
  var isNoted: Bool { (Int(count) ?? 0) > StateMembers.mostInState }
}

/// Generates the slot of a property, which is the variable with its value, and the accessors that use the slot.
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

  /// The initial value of the slot. It is not computed while an object is created from a row: the row contains the
  /// value, and computing the default may take longer than reading the row.
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

  /// The accessors of the nonisolated twin. They do not call property observers; the property's own setter does.
  var twinAccessors: [String] {
    [initAccessor, getter, plainSetter(assigning: assignment)] + (property.growsInPlace ? [modifier] : [])
  }

  /// The init accessor. If it sets a relationship, it only records the assignment in the object's state. The inverse is
  /// updated later, when the object is complete.
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

  /// The names of the variables that contain the object's state. A class that may have a superclass uses separate
  /// names, because its initialiser sets its properties before the superclass's state exists.
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

  /// Whether the property has its own bit in the mask of changed properties. The properties from the 64th on share one
  /// bit. False in a class that may have a superclass, since only the compiler knows the positions of its properties.
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

  /// A setter that calls `willSet` and `didSet` as for a plain stored property: an assignment of the property within
  /// one of its observers does not call the observers again.
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

  /// A nested function with the body of an observer, and its call. A `return` in the body thus ends only the function.
  private func call(of name: String, _ body: CodeBlockSyntax, after binding: String = "") -> String {
    """
    do {\(binding)
      func \(name)() \(body.trimmedDescription)
      \(name)()
    }
    """
  }

  /// The accessor for changes in place, such as `list.append(x)`. It moves the value out of the slot while the program
  /// changes the value. The collection then has only one reference, so that Swift does not copy it.
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
