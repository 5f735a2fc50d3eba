/// The side of the equator on which a place is. Stored as its raw value.
enum Hemisphere: String, Codable, CaseIterable {
  case northern
  case southern
}
