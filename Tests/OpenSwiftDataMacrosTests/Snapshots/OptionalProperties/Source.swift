@Model
final class Trip {
  var note: String?
  var rating: Optional<Int>
  var place: Swift.Optional<String>
  var owner: Person!
  var pair: (Mood)? = nil

  init() {}
}
