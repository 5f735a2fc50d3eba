import SwiftSyntax

/// The names of the variables in which generated accessors find the state of an object.
///
/// The role that generates accessors does not know whether the class has a superclass that is a model. So the accessors
/// of a class that may have such a superclass use separate names. The role that generates members knows the superclass
/// and declares these names: as the state itself, or, in a subclass, as an empty substitute for the inherited state.
struct StateMembers {
  let isOwn: Bool

  var state: String { isOwn ? "_$ownState" : "_$modelState" }
  /// The constant with the offset of the state, in bytes from the start of the object.
  var offset: String { isOwn ? "_$ownOffset" : "_$stateOffset" }
  /// The set of assigned properties. It exists only if the state has too few bits for them.
  var required: String { isOwn ? "_$ownRequired" : "_$required" }

  /// The number of required properties for which the state has bits.
  static let mostInState = 20
  /// The maximum number of required properties for which the set is one integer. For more of them, it is an array.
  private static let mostInNumber = 64

  static func emptyNote(of count: Int) -> String { count > mostInNumber ? "[Swift.UInt64]()" : "Swift.UInt64(0)" }
}

extension ModelDeclaration {
  var stateMembers: StateMembers {
    StateMembers(isOwn: mayHaveSuperclass && properties.contains(where: \.mayBeRelationship))
  }
}

extension MemberExpansion {
  /// The members that init accessors use: the offset of the state, and the set of assigned properties.
  var completionMembers: [String] {
    let count = model.requiredProperties.count
    guard count > 0 else { return [] }
    return [stateOffset] + (count > StateMembers.mostInState ? [note(StateMembers.emptyNote(of: count))] : [])
  }

  /// The offset is a computed property in a class that is nested in an extension. The extended type may be generic, and
  /// types within a generic type cannot have static stored properties.
  private var stateOffset: String {
    guard !model.isInExtension else {
      return """
        private nonisolated static var \(model.stateMembers.offset): Swift.Int {
          _PersistenceRuntime.ModelState._$offset(inExtension: \(name).self)
        }
        """
    }
    return """
      private nonisolated static let \(model.stateMembers.offset) = \
      _PersistenceRuntime.ModelState._$offset(in: \(name).self)
      """
  }

  private func note(_ value: String) -> String {
    "@safe @exclusivity(unchecked) nonisolated(unsafe) private var \(model.stateMembers.required) = \(value)"
  }

  /// The empty substitutes for the inherited state, in a subclass whose accessors use the separate names.
  var inheritedState: [String] {
    guard model.stateMembers.isOwn else { return [] }
    let members = model.stateMembers
    let state =
      "@safe @exclusivity(unchecked) nonisolated(unsafe) private var \(members.state) = _PersistenceRuntime.InheritedState()"
    let count = model.requiredProperties.count
    guard count > 0 else { return [state] }
    let offset = """
      private nonisolated static var \(members.offset): Swift.Int {
        0
      }
      """
    return [state, offset] + (count > StateMembers.mostInState ? [note("_PersistenceRuntime.InheritedState()")] : [])
  }
}
