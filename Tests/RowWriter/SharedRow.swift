import SwiftData

/// A row that all processes write concurrently.
@Model
final class SharedRow {
  var number: Int
  /// The version that the last save set. Each save of each writer has a different version.
  var version = 0
  /// The version that the row had before the last save.
  var base = 0
  // One property for each writer. It has the version of the writer's last save of the row.
  var w0 = 0
  var w1 = 0
  var w2 = 0
  var w3 = 0
  var w4 = 0
  var w5 = 0
  var w6 = 0
  var w7 = 0
  var w8 = 0
  var w9 = 0
  var w10 = 0
  var w11 = 0
  var w12 = 0
  var w13 = 0
  var w14 = 0
  var w15 = 0

  init(_ number: Int) {
    self.number = number
  }

  /// The version that the writer's last save of the row set.
  subscript(writer: Int) -> Int {
    get {
      switch writer {
      case 0: w0
      case 1: w1
      case 2: w2
      case 3: w3
      case 4: w4
      case 5: w5
      case 6: w6
      case 7: w7
      case 8: w8
      case 9: w9
      case 10: w10
      case 11: w11
      case 12: w12
      case 13: w13
      case 14: w14
      default: w15
      }
    }
    set {
      switch writer {
      case 0: w0 = newValue
      case 1: w1 = newValue
      case 2: w2 = newValue
      case 3: w3 = newValue
      case 4: w4 = newValue
      case 5: w5 = newValue
      case 6: w6 = newValue
      case 7: w7 = newValue
      case 8: w8 = newValue
      case 9: w9 = newValue
      case 10: w10 = newValue
      case 11: w11 = newValue
      case 12: w12 = newValue
      case 13: w13 = newValue
      case 14: w14 = newValue
      default: w15 = newValue
      }
    }
  }
}
