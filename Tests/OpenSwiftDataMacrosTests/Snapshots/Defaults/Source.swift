@Model
final class Trip {
  var id: UUID = UUID()
  var days = 1
  var status = Status.planned
  var mood: Mood = .calm
  var tags: [String] = []
  @Attribute(.unique, originalName: "label") var name: String = ""
  var price: Decimal = {
    Decimal(10)
  }()

  init() {}
}
