import SwiftSyntax

// What a class and its superclass, both models, need of each other.

extension MemberExpansion {
  /// What a subclass asks of its superclass; only a class that may have one pays for it.
  var supermodelMembers: [String] {
    var members: [String] = []
    if model.mayHaveSuperclass, !model.isSubmodel { members.append(firstPosition) }
    guard !model.isFinal else { return members }
    if !model.isSubmodel { members.append(root) }
    return members + [propertyCount, keyPaths]
  }

  private var root: String {
    "\(access)typealias _$Root = \(name)"
  }

  /// How many properties come before the class's own; computed, so that the compiler folds it where it can see it.
  var firstPosition: String {
    """
    private nonisolated static var \(ModelDeclaration.firstPosition): Int {
      \(model.isSubmodel ? "super._$propertyCount" : "0")
    }
    """
  }

  private var propertyCount: String {
    """
    \(overridable)nonisolated \(model.typeMember) var _$propertyCount: Int {
      \(model.isSubmodel ? "super._$propertyCount + " : "")\(model.properties.count)
    }
    """
  }

  /// The key paths of all properties as a subclass spells them: `\Sub.name` is not equal to `\Base.name`.
  private var keyPaths: String {
    let own = model.properties.map { "\\Model.\($0.path)" }.joined(separator: ", ")
    return """
      \(access)nonisolated static func _$keyPaths<Model: \(name)>(of type: Model.Type) -> [Swift.AnyKeyPath] {
        \(model.isSubmodel ? "super._$keyPaths(of: type) + " : "")[\(own)]
      }
      """
  }

  // MARK: Initialisers

  var submodelBackingDataInitializer: String {
    """
    required \(access)nonisolated init(backingData: any PersistenceCore.BackingData<_$Root>) {
      \(model.properties.map(submodelAdoption).joined(separator: "\n  "))
      super.init(backingData: backingData)
    }
    """
  }

  private func submodelAdoption(of property: StoredProperty) -> String {
    property.isLet
      ? "self.\(property.code) = backingData._$value(at: \\\(name).\(property.code))"
      : "\(property.slot) = .fault"
  }

  /// Own columns are read first, because a class has to set its own properties before its superclass sets the others.
  var submodelRowInitializer: String {
    """
    required \(access)nonisolated init(_$row row: inout _PersistenceRuntime.RowReader) {
      \(firstOfMany)row.beginModel()
      row.enter(\(model.properties.isEmpty ? "Self._$first" : "first"))
      \(decodings)
      row.beginSupermodel()
      super.init(_$row: &row)
    }
    """
  }

  var firstOfMany: String {
    model.properties.isEmpty ? "" : "let first = Self.\(ModelDeclaration.firstPosition)\n  "
  }

  // MARK: Rows

  var inheritedRead: String {
    guard model.isSubmodel else { return "" }
    guard !model.properties.isEmpty else { return "super._$read(&row)" }
    return "super._$read(&row)\n  \(firstOfMany)row.enter(first)\n  "
  }

  var inheritedWrite: String {
    model.isSubmodel ? "super._$write(&row)\n  \(firstOfMany)" : ""
  }
}
