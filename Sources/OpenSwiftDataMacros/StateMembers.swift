import SwiftSyntax

/// The names of an object's state, for generated code that does not know the superclass.
///
/// A class that may have a superclass uses separate names. The roles that know the superclass define these names: as
/// the state, or as an empty substitute for the inherited state.
struct StateMembers {
  let isOwn: Bool

  var state: String { isOwn ? "_$ownState" : "_$modelState" }
  /// The offset of the state in the object.
  var offset: String { isOwn ? "_$ownOffset" : "_$stateOffset" }
  /// The set of initialised properties, used if the state has too few bits.
  var required: String { isOwn ? "_$ownRequired" : "_$required" }

  /// The number of bits in the state.
  static let mostInState = 20
  /// The number of bits in an integer.
  private static let mostInNumber = 64

  static func emptyNote(of count: Int) -> String { count > mostInNumber ? "[Swift.UInt64]()" : "Swift.UInt64(0)" }
}

extension ModelDeclaration {
  var stateMembers: StateMembers {
    StateMembers(isOwn: mayHaveSuperclass && properties.contains(where: \.mayBeRelationship))
  }
}

extension MemberExpansion {
  /// The members that init accessors use: the offset of the state, and the set of initialised properties.
  var completionMembers: [String] {
    let count = model.requiredProperties.count
    guard count > 0 else { return [] }
    return [stateOffset] + (count > StateMembers.mostInState ? [note(StateMembers.emptyNote(of: count))] : [])
  }

  /// Computed in an extension: the extended type may be generic, and so has no static stored properties.
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

  /// The substitute for the inherited state in a subclass. Its accessors are generated without knowledge of the
  /// superclass.
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
