@Model
final class Trip {
  var days: Int = 1 {
    didSet { total += days - oldValue }
  }
  @Transient var total = 0

  init() {}
}
