// A model lists all its uniqueness constraints in one `#Unique`.
// expect: 'Place' has two #Unique; list every constraint as an array in one #Unique
import SwiftData

@Model final class Place {
  #Unique<Place>([\.name])
  #Unique<Place>([\.code])
  var name: String
  var code: Int

  init(name: String, code: Int) {
    self.name = name
    self.code = code
  }
}
