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

  /// The contender with this name. Throws if there is none.
  static func named(_ name: String) throws -> any Contender {
    guard let contender = all.first(where: { $0.name == name }) else {
      let names = all.map(\.name).joined(separator: ", ")
      throw ValidationError("There is no contender '\(name)'. There are: \(names).")
    }
    return contender
  }
}
