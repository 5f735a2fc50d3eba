import SwiftSyntax

/// The members of Apple's macro that a model's custom accessors use.
///
/// `var number: Int { @storageRestrictions(accesses: _$backingData, initializes: _id) init(…) { … } … }` sets the
/// values of persisted properties in `_$backingData`, and initialises their slots with `_SwiftDataNoType()`. Only a
/// model whose code names a member gets that member, because it takes memory in each object.
struct OwnAccessors {
  let usesBackingData: Bool
  let usesRegistrar: Bool

  /// Searches the text, which takes a fifth of the time of a search through the tokens.
  ///
  /// A subclass has no slots of its superclass, and the slots of a model isolated to an actor have other names. For
  /// these models the members are not generated.
  init(of model: ModelDeclaration) {
    guard !model.isSubmodel, !model.isIsolated else {
      (usesBackingData, usesRegistrar) = (false, false)
      return
    }
    let text = model.declaration.memberBlock.syntaxTextBytes
    usesBackingData = text.contains(name: "_$backingData")
    usesRegistrar = text.contains(name: "_$observationRegistrar")
  }
}

extension [UInt8] {
  /// Whether the text contains a name whose second character is a dollar sign. Few other words have such a character.
  fileprivate func contains(name: StaticString) -> Bool {
    let length = name.utf8CodeUnitCount
    return name.withUTF8Buffer { name in
      withUnsafeBufferPointer { text in
        var index = 1
        while index + length <= text.count {
          if text[index] == name[1], text[(index - 1)..<(index - 1 + length)].elementsEqual(name) { return true }
          index += 1
        }
        return false
      }
    }
  }
}

extension MemberExpansion {
  /// The members that custom accessors use.
  var ownAccessorMembers: [String] {
    (ownAccessors.usesBackingData ? [initialValues, placement] : []) + (ownAccessors.usesRegistrar ? [registrar] : [])
  }

  /// A statement for initialisers that set the slots themselves. It discards earlier values: in each initialiser, Swift
  /// sets a property with a custom accessor to nil if its type is optional.
  var forgetting: String {
    ownAccessors.usesBackingData ? "_$backingData = _PersistenceRuntime.InitialValues()\n  " : ""
  }

  private var initialValues: String {
    "@safe @exclusivity(unchecked) nonisolated(unsafe) private var _$backingData = _PersistenceRuntime.InitialValues<\(name)>()"
  }

  /// Moves the values into their slots. Inverses of relationships are updated next, the same as after any initialiser.
  ///
  /// A slot that already has a value keeps it, because the property's own accessor set that value later.
  private var placement: String {
    let properties = model.properties.filter { !$0.isLet }
    let steps = properties.map { property in
      let note = property.mayBeRelationship ? "\n    \(model.stateMembers.state)._$didInitialize(value)" : ""
      return """
        if case .fault = \(property.slot), let value = values.value(at: \\\(name).\(property.path)) {
            \(property.slot) = .value(value)\(note)
          }
        """
    }
    return """
      private nonisolated func _$placeInitialValues() {
        let values = _$backingData.take()
        \(steps.isEmpty ? "_ = values" : steps.joined(separator: "\n  "))
      }
      """
  }

  private var registrar: String {
    """
    private nonisolated var _$observationRegistrar: _PersistenceRuntime.ModelRegistrar {
      _PersistenceRuntime.ModelRegistrar()
    }
    """
  }
}
