import SwiftSyntax

/// Records which members that Apple's macro generates the model's own accessors use.
///
/// `var number: Int { @storageRestrictions(accesses: _$backingData, initializes: _id) init(…) { … } … }` sets the
/// values of persisted properties in `_$backingData`, and initialises their slots with `_SwiftDataNoType()`.
/// `_$backingData` takes memory in each object, so it is generated only for a model whose code contains this name.
struct OwnAccessors {
  let usesBackingData: Bool
  let usesRegistrar: Bool

  /// Searches the source text, which takes a fifth of the time of a search through the tokens.
  ///
  /// The members are not generated for a subclass, whose superclass has some of the slots, or for an isolated model,
  /// whose slots have other names.
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
  /// Returns true if the text contains the name. Searches for its second character, a dollar sign, which is rare.
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
  /// The members of Apple's macro that the model's own accessors use.
  var ownAccessorMembers: [String] {
    (ownAccessors.usesBackingData ? [initialValues, placement] : []) + (ownAccessors.usesRegistrar ? [registrar] : [])
  }

  /// A statement for generated initialisers, which set the slots themselves. It discards the values in `_$backingData`:
  /// Swift makes each initialiser assign nil to the optional properties that have own accessors.
  var forgetting: String {
    ownAccessors.usesBackingData ? "_$backingData = _PersistenceRuntime.InitialValues()\n  " : ""
  }

  private var initialValues: String {
    "@safe @exclusivity(unchecked) nonisolated(unsafe) private var _$backingData = _PersistenceRuntime.InitialValues<\(name)>()"
  }

  /// Generates a method that moves the values from `_$backingData` into the slots. It marks relationships as not yet
  /// linked. Their inverses are then updated, as after any initialiser.
  ///
  /// A slot that already has a value keeps it, because the property's setter has assigned it after the init accessor.
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
