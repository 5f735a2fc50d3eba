import SwiftSyntax

// What a model that belongs to an actor has besides: its properties under names that belong to none, for key paths.

extension MemberExpansion {
  /// The state of a new model. That of one that may be looked at from anywhere has its identity from the beginning.
  var newState: String {
    model.isIsolated
      ? "_PersistenceRuntime.ModelState(isolated: \(name).self)" : "_PersistenceRuntime.ModelState()"
  }

  var isolationMembers: [String] {
    guard model.isIsolated else { return [] }
    var members = [fields, fieldsProperty, fieldsPath, keyPaths, modelContext, hasChanges, isDeleted]
    if model.hasOwnExecutor { members += [jobs, runsInContext, execution, executor] }
    if model.isActor, !model.hasInitializer { members.append(memberwiseInitializer) }
    return members
  }

  // MARK: Key paths

  /// Only generated code and the library can make one, so that nobody reads around the isolation by accident.
  private var fields: String {
    """
    \(access)nonisolated struct _$Fields {
      fileprivate let model: \(name)
      \(model.properties.compactMap(field).joined(separator: "\n  "))
    }
    """
  }

  private func field(_ property: StoredProperty) -> String? {
    guard let type = property.writtenType else { return nil }
    let access = property.fieldAccess
    if property.isLet { return "\(access)var \(property.code): \(type) {\n    model.\(property.code)\n  }" }
    return """
      \(access)var \(property.code): \(type) {
          get {
            model.\(property.twin)
          }
          nonmutating set {
            model.\(property.twin) = newValue
          }
        }
      """
  }

  private var fieldsProperty: String {
    """
    \(access)nonisolated var _$fields: _$Fields {
      _$Fields(model: self)
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

  /// The key paths that predicates and the schema know, by the fields; filled once.
  private var keyPaths: String {
    let entries = model.properties.map { "\\_$Fields.\($0.code): \\\(name).\($0.path)" }
    return """
      @safe \(access)nonisolated(unsafe) static let _$fieldKeyPaths: [Swift.AnyKeyPath: Swift.AnyKeyPath] = [
        \(entries.isEmpty ? ":" : entries.joined(separator: ",\n  "))
      ]
      """
  }

  // MARK: What every model has, inside of the actor

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

  // MARK: Jobs

  /// Only initialisers set it.
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
    \(access)nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe _$jobs.asUnownedSerialExecutor()
    }
    """
  }

  // MARK: Initialisers

  /// An initialiser of an actor takes nothing that others have in their hands, so that the row is handed to it by its
  /// place.
  var rowType: String { model.isActor ? "_PersistenceRuntime.RowPlace" : "inout _PersistenceRuntime.RowReader" }
  var rowSource: String { model.isActor ? "row.reader" : "row" }

  private var memberwiseInitializer: String {
    let parameters = model.properties.compactMap(parameter).joined(separator: ", ")
    // Constants first: what is set after them says that the object is complete.
    let properties = model.properties.filter(\.isLet) + model.properties.filter { !$0.isLet }
    let assignments = properties.map { property in
      "self.\(property.isLet ? property.code : property.twin) = \(property.code)"
    }
    return """
      \(model.requiredProperties.isEmpty ? "" : "@inline(never) ")\(access)init(\(parameters)) {
        \(assignments.joined(separator: "\n  "))
      }
      """
  }

  private func parameter(_ property: StoredProperty) -> String? {
    guard let type = property.writtenType else { return nil }
    let isNil = property.initializer == nil && !property.isLet && (property.type?.isOptional ?? false)
    let value = property.initializer?.trimmedDescription ?? (isNil ? "nil" : nil)
    return "\(property.code): \(type)\(value.map { " = \($0)" } ?? "")"
  }
}

extension StoredProperty {
  /// The access that a field needs to be seen where the property is, with a space behind it.
  fileprivate var fieldAccess: String {
    switch variable.modifiers.accessKeyword {
    case .public, .open: "public "
    case .package: "package "
    case .private, .fileprivate: "fileprivate "
    default: ""
    }
  }
}
