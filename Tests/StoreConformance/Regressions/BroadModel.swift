import SwiftData

/// A model with more than 64 properties. The change mask has 64 bits, so the properties from the 64th on share the last
/// bit.
@Model
final class Broad {
  var p0: String = "d0"
  var p1: String = "d1"
  var p2: String = "d2"
  var p3: String = "d3"
  var p4: String = "d4"
  var p5: String = "d5"
  var p6: String = "d6"
  var p7: String = "d7"
  var p8: String = "d8"
  var p9: String = "d9"
  var p10: String = "d10"
  var p11: String = "d11"
  var p12: String = "d12"
  var p13: String = "d13"
  var p14: String = "d14"
  var p15: String = "d15"
  var p16: String = "d16"
  var p17: String = "d17"
  var p18: String = "d18"
  var p19: String = "d19"
  var p20: String = "d20"
  var p21: String = "d21"
  var p22: String = "d22"
  var p23: String = "d23"
  var p24: String = "d24"
  var p25: String = "d25"
  var p26: String = "d26"
  var p27: String = "d27"
  var p28: String = "d28"
  var p29: String = "d29"
  var p30: String = "d30"
  var p31: String = "d31"
  var p32: String = "d32"
  var p33: String = "d33"
  var p34: String = "d34"
  var p35: String = "d35"
  var p36: String = "d36"
  var p37: String = "d37"
  var p38: String = "d38"
  var p39: String = "d39"
  var p40: String = "d40"
  var p41: String = "d41"
  var p42: String = "d42"
  var p43: String = "d43"
  var p44: String = "d44"
  var p45: String = "d45"
  var p46: String = "d46"
  var p47: String = "d47"
  var p48: String = "d48"
  var p49: String = "d49"
  var p50: String = "d50"
  var p51: String = "d51"
  var p52: String = "d52"
  var p53: String = "d53"
  var p54: String = "d54"
  var p55: String = "d55"
  var p56: String = "d56"
  var p57: String = "d57"
  var p58: String = "d58"
  var p59: String = "d59"
  var p60: String = "d60"
  var p61: String = "d61"
  var p62: String = "d62"
  var p63: String = "d63"
  var p64: String = "d64"
  var p65: String = "d65"
  var p66: String = "d66"
  var p67: String = "d67"
  var p68: String = "d68"
  var p69: String = "d69"
  var p70: String = "d70"

  init() {}
}

@Model
final class BroadOwner {
  var broad: Broad?

  init(_ broad: Broad) {
    self.broad = broad
  }
}
