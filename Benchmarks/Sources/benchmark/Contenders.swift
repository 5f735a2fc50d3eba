import ArgumentParser
import BenchmarkCore
import GRDBContender
import RawContender

#if MEASURES_LIBRARY
  import OurContender
#endif

/// All contenders for databases in files, in the order of the tables' columns.
enum Contenders {
  /// The contender to whose times all ratios refer.
  static let base: any Contender = RawContender.sameSettings

  /// The base and all other contenders.
  static let all: [any Contender] = {
    var all: [any Contender] = [base, RawContender.defaultSettings]
    #if MEASURES_LIBRARY
      all.append(OurContender())
    #endif
    all.append(GRDBContender())
    return all
  }()

  /// The contenders with the given names and the base; without names, all that are written in Swift. SQLAlchemy takes
  /// part only if it is named, because it takes most of the time.
  static func participants(named names: [String]) throws -> [any Participant] {
    let chosen = all.filter { names.isEmpty || $0.name == base.name || names.contains($0.name) }
    let peer = SQLAlchemy()
    for name in names where name != peer.name { _ = try named(name) }
    guard names.contains(peer.name) else { return chosen }
    guard SQLAlchemy.isInstalled else { throw ValidationError(SQLAlchemy.advice) }
    return chosen + [peer]
  }

  /// The contender with this name. Throws if there is none.
  static func named(_ name: String) throws -> any Contender {
    guard let contender = all.first(where: { $0.name == name }) else {
      let names = (all.map(\.name) + [SQLAlchemy().name]).joined(separator: ", ")
      throw ValidationError("There is no contender '\(name)'. There are: \(names).")
    }
    return contender
  }
}
