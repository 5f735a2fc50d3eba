import OpenSwiftData

/// The models of the command `scale`: stations with 100 readings each.
///
/// The indexed numbers rise with the rows, so that a new row is added at the end of each index. With scattered values,
/// SQLite would write more and more pages for each row, and the growth of this work would hide that of the library.
enum ScaleFirst: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Station.self, Reading.self] }

  @Model final class Station {
    #Index<Station>([\.number])
    var number: Int
    @Relationship(inverse: \Reading.station) var readings: [Reading] = []

    init(number: Int) { self.number = number }
  }

  @Model @ModelValue final class Reading {
    #Index<Reading>([\.number])
    var number: Int
    var code: Int
    var level: Int
    var value: Double
    var label: String
    var station: Station?

    init(number: Int, code: Int, level: Int, station: Station) {
      (self.number, self.code, self.level, value) = (number, code, level, Double(code) / 4)
      label = "reading " + String(number, radix: 36)
      self.station = station
    }
  }
}

/// The second version of the models: readings have one more property.
enum ScaleSecond: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Station.self, Reading.self] }

  @Model final class Station {
    #Index<Station>([\.number])
    var number: Int
    @Relationship(inverse: \Reading.station) var readings: [Reading] = []

    init(number: Int) { self.number = number }
  }

  @Model final class Reading {
    #Index<Reading>([\.number])
    var number: Int
    var code: Int
    var level: Int
    var value: Double
    var label: String
    var grade: Int = 3
    var station: Station?

    init(number: Int) { (self.number, code, level, value, label) = (number, 0, 0, 0, "") }
  }
}

typealias Station = ScaleFirst.Station
typealias Reading = ScaleFirst.Reading
