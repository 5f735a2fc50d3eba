import SwiftSyntax

// Members that only isolated models have, such as nonisolated properties that key paths use.

extension MemberExpansion {
  /// The initial state of a model. An isolated model needs an identifier at once: code of any isolation may read it.
  var newState: String {
    model.isIsolated
      ? "_PersistenceRuntime.ModelState(isolated: \(name).self)" : "_PersistenceRuntime.ModelState()"
  }

  var isolationMembers: [String] {
    guard model.isIsolated else { return [] }
    var members = [fields, fieldsProperty, fieldsPath, keyPaths, modelContext]
    // The model may declare its own properties with these names.
    if !model.declaration.declares("hasChanges") { members.append(hasChanges) }
    if !model.declaration.declares("isDeleted") { members.append(isDeleted) }
    if model.hasOwnExecutor { members += [jobs, runsInContext, execution, executor] }
    if model.isActor, !model.hasInitializer { members.append(memberwiseInitializer) }
    return members
  }

  // MARK: Key paths

  /// A struct that has a nonisolated property for each property of the model. Only the generated code can create it, so
  /// programs cannot use it to bypass the isolation.
  private var fields: String {
    """
    \(access)nonisolated struct _$Fields {
      fileprivate let _$model: \(name)
      \(fieldProperties.compactMap(field).joined(separator: "\n  "))
    }
    """
  }

  /// The properties that the struct contains. A property whose type is a private type nested in the model is left out,
  /// because Swift accepts no access level for it in the struct.
  private var fieldProperties: [StoredProperty] {
    let hidden = model.privateTypes
    return model.properties.filter { $0.type?.uses(of: hidden).isEmpty ?? true }
  }

  private func field(_ property: StoredProperty) -> String? {
    guard let type = property.writtenType else { return nil }
    let access = property.fieldAccess
    if property.isLet { return "\(access)var \(property.code): \(type) {\n    _$model.\(property.code)\n  }" }
    return """
      \(access)var \(property.code): \(type) {
          get {
            _$model.\(property.twin)
          }
          nonmutating set {
            _$model.\(property.twin) = newValue
          }
        }
      """
  }

  private var fieldsProperty: String {
    """
    \(access)nonisolated var _$fields: _$Fields {
      _$Fields(_$model: self)
    }
    """
  }

  private var fieldsPath: String {
    """
    \(access)nonisolated static var _$fieldsPath: Swift.AnyKeyPath {
      \\\(name)._$fields
    }
    """
  }

  /// A dictionary from the key paths of the struct to the key paths of the model. It is created once for the type.
  private var keyPaths: String {
    let entries = fieldProperties.map { "\\_$Fields.\($0.code): \\\(name).\($0.path)" }
    return """
      @safe \(access)nonisolated(unsafe) static let _$fieldKeyPaths: [Swift.AnyKeyPath: Swift.AnyKeyPath] = [
        \(entries.isEmpty ? ":" : entries.joined(separator: ",\n  "))
      ]
      """
  }

  // MARK: Isolated versions of every model's members

  private var modelContext: String { isolated("modelContext", "PersistenceCore.ModelContext?") }
  private var hasChanges: String { isolated("hasChanges", "Swift.Bool") }
  private var isDeleted: String { isolated("isDeleted", "Swift.Bool") }

  private func isolated(_ name: String, _ type: String) -> String {
    """
    \(access)var \(name): \(type) {
      _PersistenceRuntime._$\(name)(of: self)
    }
    """
  }

  // MARK: Executor

  /// The variable with the executor of an actor. It can be `nonisolated(unsafe)`, because only initialisers set it.
  private var jobs: String {
    "@safe nonisolated(unsafe) private var _$jobs = _PersistenceRuntime.ForwardingExecutor._$new()"
  }

  private var runsInContext: String {
    """
    \(access)nonisolated static var _$runsInContext: Swift.Bool {
      true
    }
    """
  }

  private var execution: String {
    """
    \(access)nonisolated var _$execution: _PersistenceRuntime.ForwardingExecutor? {
      _$jobs
    }
    """
  }

  private var executor: String {
    """
    \(access)nonisolated var unownedExecutor: _Concurrency.UnownedSerialExecutor {
      unsafe _$jobs.asUnownedSerialExecutor()
    }
    """
  }

  // MARK: Initialisers

  /// The type of the row parameter: a pointer for an actor, because parameters of its initialisers must be Sendable.
  var rowType: String { model.isActor ? "_PersistenceRuntime.RowReaderPointer" : "inout _PersistenceRuntime.RowReader" }
  var rowSource: String { model.isActor ? "row.reader" : "row" }

  private var memberwiseInitializer: String {
    let given = model.properties.filter { !$0.isLeftToDefault }
    let parameters = given.compactMap(parameter).joined(separator: ", ")
    // Constants are set first, because setting the last variable completes the object.
    let properties = given.filter(\.isLet) + given.filter { !$0.isLet }
    let assignments = properties.map { property in
      "self.\(property.isLet ? property.code : property.twin) = \(property.code)"
    }
    return """
      \(model.requiredProperties.isEmpty ? "" : "@inline(never) ")\(initializerAccess(to: given))init(\(parameters)) {
        \(assignments.joined(separator: "\n  "))
      }
      """
  }

  /// The access modifier of the memberwise initialiser, with a trailing space. As for structs, the initialiser is only
  /// as accessible as the least accessible property, because callers must be able to name the types of its parameters.
  private func initializerAccess(to properties: [StoredProperty]) -> String {
    let levels = properties.filter { !$0.hasPublicType }.map(\.variable.modifiers.accessKeyword)
    if levels.contains(.private) { return "private " }
    if levels.contains(.fileprivate) { return "fileprivate " }
    if levels.contains(where: { $0 == nil || $0 == .internal }) { return "" }
    return levels.contains(.package) && access == "public " ? "package " : access
  }

  private func parameter(_ property: StoredProperty) -> String? {
    guard let type = property.writtenType else { return nil }
    let isNil = property.initializer == nil && !property.isLet && (property.type?.isOptional ?? false)
    let value = property.initializer?.trimmedDescription ?? (isNil ? "nil" : nil)
    return "\(property.code): \(type)\(value.map { " = \($0)" } ?? "")"
  }
}

extension StoredProperty {
  /// Whether the memberwise initialiser leaves the property at its default: the property is private and has a default,
  /// and callers may be unable to name its type.
  fileprivate var isLeftToDefault: Bool {
    let access = variable.modifiers.accessKeyword
    return (access == .private || access == .fileprivate) && hasImplicitValue && !hasPublicType
  }

  /// Whether the type is known to be public, because it is a type of the standard library or Foundation.
  fileprivate var hasPublicType: Bool {
    type.map { Self.valueTypes.contains($0.innermostName) } ?? (initializer?.literalType != nil)
  }

  fileprivate var fieldAccess: String {
    switch variable.modifiers.accessKeyword {
    case .public, .open: "public "
    case .package: "package "
    case .private, .fileprivate: "fileprivate "
    default: ""
    }
  }
}
