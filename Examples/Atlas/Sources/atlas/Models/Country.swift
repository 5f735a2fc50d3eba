import SwiftData

/// A country or territory with an ISO 3166 code.
@Model final class Country {
  #Index<Country>([\.zoneCount], [\.name])

  /// The two letters of ISO 3166, such as `NZ`.
  @Attribute(.unique) var code: String
  var name: String
  /// The name in lower case and without accents, so that a search for "aland" finds Åland.
  var searchName: String
  /// The time zones that are in use, in the order of the database.
  @Relationship(inverse: \TimeZone.countries) var zones: [TimeZone] = []
  /// The number of ``zones``, in a column of its own so that the store can sort by it.
  var zoneCount = 0
  /// How often this program has sent a postcard from here.
  var visitCount = 0
  var lastVisit: Date?

  init(code: String, name: String) {
    self.code = code
    self.name = name
    self.searchName = name.searchForm
  }
}
