import SwiftSyntax
import SwiftSyntaxBuilder

// What a class and its superclass, both models, need of each other.

extension MemberExpansion {
  /// What a subclass asks of its superclass; only a class that may have one pays for it.
  var supermodelMembers: [DeclSyntax] {
    var members: [DeclSyntax] = []
    if model.mayHaveSuperclass, !model.isSubmodel { members.append(firstPosition) }
    guard !model.isFinal else { return members }
    if !model.isSubmodel { members.append(root) }
    return members + [propertyCount, keyPaths]
  }

  private var root: DeclSyntax {
    "\(raw: access)typealias _$Root = \(raw: name)"
  }

  /// How many properties come before the class's own; computed, so that the compiler folds it where it can see it.
  var firstPosition: DeclSyntax {
    """
    private nonisolated static var \(raw: ModelDeclaration.firstPosition): Int {
      \(raw: model.isSubmodel ? "super._$propertyCount" : "0")
    }
    """
  }

  private var propertyCount: DeclSyntax {
    """
    \(raw: overridable)nonisolated \(raw: model.typeMember) var _$propertyCount: Int {
      \(raw: model.isSubmodel ? "super._$propertyCount + " : "")\(raw: model.properties.count)
    }
    """
  }

  /// The key paths of all properties as a subclass spells them: `\Sub.name` is not equal to `\Base.name`.
  private var keyPaths: DeclSyntax {
    let own = model.properties.map { "\\Model.\($0.path)" }.joined(separator: ", ")
    return """
      \(raw: access)nonisolated static func _$keyPaths<Model: \(raw: name)>(of type: Model.Type) -> [Swift.AnyKeyPath] {
        \(raw: model.isSubmodel ? "super._$keyPaths(of: type) + " : "")[\(raw: own)]
      }
      """
  }

  // MARK: Initialisers

  var submodelBackingDataInitializer: DeclSyntax {
    """
    required \(raw: access)nonisolated init(backingData: any PersistenceCore.BackingData<_$Root>) {
      \(raw: model.properties.map(submodelAdoption).joined(separator: "\n  "))
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
  var submodelRowInitializer: DeclSyntax {
    """
    required \(raw: access)nonisolated init(_$row row: inout PersistenceCore.RowReader) {
      \(raw: firstOfMany)row.beginModel()
      row.enter(\(raw: model.properties.isEmpty ? "Self._$first" : "first"))
      \(raw: decodings)
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
