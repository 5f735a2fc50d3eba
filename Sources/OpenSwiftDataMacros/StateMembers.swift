import SwiftSyntax

/// The names of what keeps the state of an object, for generated code that is told nothing of the superclass.
///
/// In a class that may have a superclass they are names of its own. What they mean is decided where the compiler says
/// whether the superclass is a model: the state itself, or something without a size that stands for that of the superclass.
struct StateMembers {
  let isOwn: Bool

  var state: String { isOwn ? "_$ownState" : "_$modelState" }
  /// How far the state is from the beginning of the object.
  var offset: String { isOwn ? "_$ownOffset" : "_$stateOffset" }
  /// Which properties have values, where there are too many for the state.
  var required: String { isOwn ? "_$ownRequired" : "_$required" }

  /// As many properties as the state has bits for.
  static let mostInState = 20
  /// As many as one number has bits for.
  private static let mostInNumber = 64

  static func emptyNote(of count: Int) -> String { count > mostInNumber ? "[Swift.UInt64]()" : "Swift.UInt64(0)" }
}

extension ModelDeclaration {
  var stateMembers: StateMembers {
    StateMembers(isOwn: mayHaveSuperclass && properties.contains(where: \.mayBeRelationship))
  }
}

extension MemberExpansion {
  /// What accessors ask when an initialiser sets a property: where the state is, and what has a value already.
  var completionMembers: [String] {
    let count = model.requiredProperties.count
    guard count > 0 else { return [] }
    return [stateOffset] + (count > StateMembers.mostInState ? [note(StateMembers.emptyNote(of: count))] : [])
  }

  private var stateOffset: String {
    """
    private nonisolated static let \(model.stateMembers.offset) = \
    _PersistenceRuntime.ModelState._$offset(in: \(name).self)
    """
  }

  private func note(_ value: String) -> String {
    "@safe @exclusivity(unchecked) nonisolated(unsafe) private var \(model.stateMembers.required) = \(value)"
  }

  /// What a subclass has in the place of the state, which its superclass has. Its accessors are generated without knowing.
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
