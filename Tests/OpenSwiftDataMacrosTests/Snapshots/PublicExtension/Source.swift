public extension Journal {
  @Model
  final class Trip {
    var name: String

    init(name: String) {
      self.name = name
    }
  }
}
