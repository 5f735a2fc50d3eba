@Model
final class Trip {
  #Index<Trip>([\.name], [\.name, \.days])
  #Index<Trip>(.binary([\.days]))
  #Unique<Trip>([\.name], [\.name, \.days])

  var name: String
  var days: Int

  init(name: String, days: Int) {
    self.name = name
    self.days = days
  }
}
