import SwiftData
import Testing

/// A model with more than 64 properties, so that a word of 64 bits cannot contain a bit for each.
@Model final class Wide {
  var number0: Int = 0
  var text1: String = "1"
  var note2: String?
  var flag3 = true
  var number4: Int = 4
  var text5: String = "5"
  var note6: String?
  var flag7 = true
  var number8: Int = 8
  var text9: String = "9"
  var note10: String?
  var flag11 = true
  var number12: Int = 12
  var text13: String = "13"
  var note14: String?
  var flag15 = true
  var number16: Int = 16
  var text17: String = "17"
  var note18: String?
  var flag19 = true
  var number20: Int = 20
  var text21: String = "21"
  var note22: String?
  var flag23 = true
  var number24: Int = 24
  var text25: String = "25"
  var note26: String?
  var flag27 = true
  var number28: Int = 28
  var text29: String = "29"
  var note30: String?
  var flag31 = true
  var number32: Int = 32
  var text33: String = "33"
  var note34: String?
  var flag35 = true
  var number36: Int = 36
  var text37: String = "37"
  var note38: String?
  var flag39 = true
  var number40: Int = 40
  var text41: String = "41"
  var note42: String?
  var flag43 = true
  var number44: Int = 44
  var text45: String = "45"
  var note46: String?
  var flag47 = true
  var number48: Int = 48
  var text49: String = "49"
  var note50: String?
  var flag51 = true
  var number52: Int = 52
  var text53: String = "53"
  var note54: String?
  var flag55 = true
  var number56: Int = 56
  var text57: String = "57"
  var note58: String?
  var flag59 = true
  var number60: Int = 60
  var text61: String = "61"
  var note62: String?
  var flag63 = true
  var number64: Int = 64
  var text65: String = "65"
  var note66: String?
  var flag67 = true
  var number68: Int = 68
  var text69: String = "69"

  init() {}
}

@Suite("Models with many properties")
struct WideModelTests {
  @Test("A model may have more than 64 properties, and each can be saved separately") func wide() throws {
    try roundTrip(changing: Wide()) {
      $0.number0 = -1
      $0.flag67 = false
      $0.text69 = "last"
    } then: {
      #expect($0.number0 == -1)
      #expect($0.number4 == 4)
      #expect($0.text5 == "5")
      #expect($0.note6 == nil)
      #expect($0.flag7)
      #expect($0.number60 == 60)
      #expect($0.note62 == nil)
      #expect($0.flag63)
      #expect($0.number64 == 64)
      #expect($0.text65 == "65")
      #expect($0.note66 == nil)
      #expect(!$0.flag67)
      #expect($0.number68 == 68)
      #expect($0.text69 == "last")
    }
  }
}
