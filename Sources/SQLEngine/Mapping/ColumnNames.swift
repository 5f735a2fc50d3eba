import PersistenceRuntime

/// The names that the columns of an entity's own properties have in the database.
///
/// A member `city` of a composite `location` and a property `location_city` wish for the same name. Who gets it must not
/// depend on the order of declaration, which is no part of a schema: names are given to properties before members, and
/// among each in alphabetical order.
struct ColumnNames {
  private var names: [[String]: String] = [:]

  init(of properties: ArraySlice<PropertyLayout>, names register: inout NameRegister) {
    let columns = properties.flatMap(\.columns).sorted { first, second in
      first.path.count == second.path.count
        ? first.path.lexicographicallyPrecedes(second.path) : first.path.count < second.path.count
    }
    for column in columns where names[column.path] == nil {
      names[column.path] = register.claim(column.name)
    }
  }

  subscript(column: ColumnLayout) -> String { names[column.path] ?? column.name }
}
