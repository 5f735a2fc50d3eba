import PersistenceRuntime
import PersistenceSupport

/// Assigns unique names, the requested one if it is free.
///
/// Swift distinguishes `url` from `URL` and databases need not, so names are compared as the dialect compares them. The
/// same requests in the same order get the same names.
struct NameRegister {
  private let foldsCase: Bool
  private let longest: Int?
  private var taken: Set<String> = []

  init(_ dialect: any SQLDialect, taken: [String] = []) {
    foldsCase = dialect.foldsCase
    longest = dialect.longestName
    for name in taken { self.taken.insert(folded(name)) }
  }

  mutating func claim(_ wish: String) -> String {
    var name = wish.fitted(to: longest)
    var number = 2
    while !taken.insert(folded(name)).inserted {
      name = "\(wish)_\(number)".fitted(to: longest)
      number += 1
    }
    return name
  }

  /// Assigns a name whose variants with some endings are free too, and takes them with it.
  mutating func claim(_ wish: String, endings: [String]) -> String {
    var name = wish.fitted(to: longest)
    var number = 2
    while ([name] + endings.map { name + $0 }).contains(where: isTaken) {
      name = "\(wish)_\(number)".fitted(to: longest)
      number += 1
    }
    for name in [name] + endings.map({ name + $0 }) { taken.insert(folded(name)) }
    return name
  }

  func isTaken(_ name: String) -> Bool { taken.contains(folded(name)) }

  private func folded(_ name: String) -> String {
    guard foldsCase else { return name }
    return String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}

/// The names that the columns of an entity's own properties have in the database.
///
/// A member `city` of a composite `location` and a property `location_city` request the same name. The assignment must
/// not depend on the order of declaration, which is not part of a schema: properties get their names before members,
/// and both in alphabetical order.
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

extension String {
  /// The name itself if it has no more bytes than the database allows; otherwise its beginning and a hash of the whole.
  /// Databases truncate long names silently, so that two with a common beginning would be the same.
  func fitted(to longest: Int?) -> String {
    guard let longest, utf8.count > longest else { return self }
    let mark = "_" + String(StableHash.shortValue(of: utf8), radix: 36)
    var room = longest - mark.utf8.count
    let kept = unicodeScalars.prefix { scalar in
      room -= UTF8.width(scalar)
      return room >= 0
    }
    return String(kept) + mark
  }
}
