@Model
final class `Protocol` {
  var `default`: Bool = false
  var `in`: String
  let `class`: String

  init(in place: String, class name: String) {
    self.in = place
    self.class = name
  }
}
