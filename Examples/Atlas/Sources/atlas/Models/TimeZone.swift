import SwiftData

/// A time zone of the tz database.
///
/// Foundation has a type of this name too. In this module `TimeZone` is the model, and `Foundation.TimeZone` the other
/// type.
@Model final class TimeZone {
  #Index<TimeZone>([\.hemisphere, \.utcOffset])

  /// The name in the database, such as `Pacific/Auckland`.
  @Attribute(.unique) var name: String
  /// The name in lower case, with spaces, for searches.
  var searchName: String
  /// The zone's principal location.
  var coordinates: Coordinates
  var hemisphere: Hemisphere
  /// Seconds east of Greenwich in standard time; nil when the system knows the zone's name but not its rules.
  var utcOffset: Int?
  /// The difference from the other zones of its country.
  var comment: String?
  /// The country of most of the zone's people.
  var homeCountry: Country?
  /// Every country in which the zone is in use.
  var countries: [Country] = []

  init(name: String, coordinates: Coordinates, utcOffset: Int?, comment: String?) {
    self.name = name
    self.searchName = name.replacingOccurrences(of: "_", with: " ").searchForm
    self.coordinates = coordinates
    self.hemisphere = coordinates.latitude < 0 ? .southern : .northern
    self.utcOffset = utcOffset
    self.comment = comment
  }
}
