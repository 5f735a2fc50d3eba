#if PostgreSQL
  import ArgumentParser
  import BenchmarkCore
  import Foundation
  import LibpqContender

  #if MEASURES_LIBRARY
    import OurContender
  #endif

  /// All contenders for databases on a server, in the order of the tables' columns. The ratios refer to the times of
  /// the first one.
  enum PostgresContenders {
    /// The contenders that are written in Swift.
    static func all(on database: String) -> [any Contender] {
      var all: [any Contender] = [LibpqContender(database)]
      #if MEASURES_LIBRARY
        all.append(OurPostgresContender(database))
      #endif
      return all
    }

    /// The contenders in Swift and SQLAlchemy that have the given names, or all if there are no names. The first
    /// contender is always included.
    static func participants(named names: [String]) throws -> [any Participant] {
      let all = all(on: "") as [any Participant] + [SQLAlchemy()]
      if let name = names.first(where: { name in !all.contains { $0.name == name } }) {
        let known = all.map(\.name).joined(separator: ", ")
        throw ValidationError("There is no contender '\(name)' on a server. There are: \(known).")
      }
      return all.enumerated().filter { $0 == 0 || names.isEmpty || names.contains($1.name) }.map(\.element)
    }

    static func named(_ name: String, on database: String) throws -> any Contender {
      guard let contender = all(on: database).first(where: { $0.name == name }) else {
        throw ValidationError("There is no contender '\(name)' in Swift on a server.")
      }
      return contender
    }
  }
#endif
