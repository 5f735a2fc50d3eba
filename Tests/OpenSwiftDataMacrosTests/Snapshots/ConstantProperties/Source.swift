@Model
final class Trip {
  let code: String
  let start: Date?
  let kind = "trip"
  var name: String

  init(code: String, start: Date?, name: String) {
    self.code = code
    self.start = start
    self.name = name
  }
}
