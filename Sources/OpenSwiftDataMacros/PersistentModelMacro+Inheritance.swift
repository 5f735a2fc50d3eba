import SwiftSyntax

// Generated members that connect the properties of a model class with those of its superclass, if this is a model too.

extension MemberExpansion {
  /// The members for classes that may have a superclass or subclasses: the counts and key paths of their properties.
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

  /// The number of inherited properties. It is computed, not stored, so that the compiler can replace it by a constant.
  var firstPosition: String {
    """
    private nonisolated static var \(ModelDeclaration.firstPosition): Swift.Int {
      \(model.isSubmodel ? "super._$propertyCount" : "0")
    }
    """
  }

  private var propertyCount: String {
    """
    \(overridable)nonisolated \(model.typeMember) var _$propertyCount: Swift.Int {
      \(model.isSubmodel ? "super._$propertyCount + " : "")\(model.properties.count)
    }
    """
  }

  /// A method that returns the key paths of all properties, with a given subclass as their root. The inherited key
  /// paths need this root too, because `\Sub.name` is not equal to `\Base.name`.
  private var keyPaths: String {
    let own = model.properties.map { "\\_$Model.\($0.path)" }.joined(separator: ", ")
    return """
      \(access)nonisolated static func _$keyPaths<_$Model: \(name)>(of type: _$Model.Type) -> [Swift.AnyKeyPath] {
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

  /// Reads the inherited columns last, because an initialiser must set its own properties before it calls `super.init`.
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
