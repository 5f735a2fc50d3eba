@Model
final class Trip {
  static let shared = "shared"
  class var kind: String { "trip" }
  @Transient var cache: [String: Int] = [:]
  @Transient var draft: String?
  lazy var upper = name.uppercased()
  var name: String
  var title: String {
    get { name }
    set { name = newValue }
  }

  init(name: String) {
    self.name = name
  }
}
