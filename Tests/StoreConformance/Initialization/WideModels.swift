import ConformanceSupport
import SwiftData

/// A model with more non-optional properties than the state of an object has bits to track their initialisation.
@Model
final class WideGuest {
  var value0: Int
  var value1: Int
  var value2: Int
  var value3: Int
  var value4: Int
  var value5: Int
  var value6: Int
  var value7: Int
  var value8: Int
  var value9: Int
  var value10: Int
  var value11: Int
  var value12: Int
  var value13: Int
  var value14: Int
  var value15: Int
  var value16: Int
  var value17: Int
  var value18: Int
  var value19: Int
  var value20: Int
  var value21: Int
  var value22: Int
  var value23: Int
  var home: Home

  /// Sets the home first, and value0 twice.
  init(_ start: Int, first home: Home) {
    self.home = home
    self.value0 = start + 0
    self.value1 = start + 1
    self.value2 = start + 2
    self.value3 = start + 3
    self.value0 = start
    self.value4 = start + 4
    self.value5 = start + 5
    self.value6 = start + 6
    self.value7 = start + 7
    self.value8 = start + 8
    self.value9 = start + 9
    self.value10 = start + 10
    self.value11 = start + 11
    self.value12 = start + 12
    self.value13 = start + 13
    self.value14 = start + 14
    self.value15 = start + 15
    self.value16 = start + 16
    self.value17 = start + 17
    self.value18 = start + 18
    self.value19 = start + 19
    self.value20 = start + 20
    self.value21 = start + 21
    self.value22 = start + 22
    self.value23 = start + 23
  }

  /// Sets the home last, and fails at a given position.
  init(_ start: Int, last home: Home, failing place: Int) throws {
    self.value0 = start + 0
    if place == 0 { throw Failure() }
    self.value1 = start + 1
    self.value2 = start + 2
    self.value3 = start + 3
    self.value4 = start + 4
    self.value5 = start + 5
    self.value6 = start + 6
    self.value7 = start + 7
    self.value8 = start + 8
    self.value9 = start + 9
    self.value10 = start + 10
    self.value11 = start + 11
    self.value12 = start + 12
    if place == 12 { throw Failure() }
    self.value13 = start + 13
    self.value14 = start + 14
    self.value15 = start + 15
    self.value16 = start + 16
    self.value17 = start + 17
    self.value18 = start + 18
    self.value19 = start + 19
    self.value20 = start + 20
    self.value21 = start + 21
    self.value22 = start + 22
    self.value23 = start + 23
    if place == 23 { throw Failure() }
    self.home = home
  }
}

/// A model with more than 64 non-optional properties, so that one integer has too few bits to track their
/// initialisation.
@Model
final class WidestGuest {
  var value0: Int
  var value1: Int
  var value2: Int
  var value3: Int
  var value4: Int
  var value5: Int
  var value6: Int
  var value7: Int
  var value8: Int
  var value9: Int
  var value10: Int
  var value11: Int
  var value12: Int
  var value13: Int
  var value14: Int
  var value15: Int
  var value16: Int
  var value17: Int
  var value18: Int
  var value19: Int
  var value20: Int
  var value21: Int
  var value22: Int
  var value23: Int
  var value24: Int
  var value25: Int
  var value26: Int
  var value27: Int
  var value28: Int
  var value29: Int
  var value30: Int
  var value31: Int
  var value32: Int
  var value33: Int
  var value34: Int
  var value35: Int
  var value36: Int
  var value37: Int
  var value38: Int
  var value39: Int
  var value40: Int
  var value41: Int
  var value42: Int
  var value43: Int
  var value44: Int
  var value45: Int
  var value46: Int
  var value47: Int
  var value48: Int
  var value49: Int
  var value50: Int
  var value51: Int
  var value52: Int
  var value53: Int
  var value54: Int
  var value55: Int
  var value56: Int
  var value57: Int
  var value58: Int
  var value59: Int
  var value60: Int
  var value61: Int
  var value62: Int
  var value63: Int
  var value64: Int
  var value65: Int
  var value66: Int
  var value67: Int
  var value68: Int
  var value69: Int
  var home: Home

  /// Sets the home first, and value0 twice.
  init(_ start: Int, first home: Home) {
    self.home = home
    self.value0 = start + 0
    self.value1 = start + 1
    self.value2 = start + 2
    self.value3 = start + 3
    self.value0 = start
    self.value4 = start + 4
    self.value5 = start + 5
    self.value6 = start + 6
    self.value7 = start + 7
    self.value8 = start + 8
    self.value9 = start + 9
    self.value10 = start + 10
    self.value11 = start + 11
    self.value12 = start + 12
    self.value13 = start + 13
    self.value14 = start + 14
    self.value15 = start + 15
    self.value16 = start + 16
    self.value17 = start + 17
    self.value18 = start + 18
    self.value19 = start + 19
    self.value20 = start + 20
    self.value21 = start + 21
    self.value22 = start + 22
    self.value23 = start + 23
    self.value24 = start + 24
    self.value25 = start + 25
    self.value26 = start + 26
    self.value27 = start + 27
    self.value28 = start + 28
    self.value29 = start + 29
    self.value30 = start + 30
    self.value31 = start + 31
    self.value32 = start + 32
    self.value33 = start + 33
    self.value34 = start + 34
    self.value35 = start + 35
    self.value36 = start + 36
    self.value37 = start + 37
    self.value38 = start + 38
    self.value39 = start + 39
    self.value40 = start + 40
    self.value41 = start + 41
    self.value42 = start + 42
    self.value43 = start + 43
    self.value44 = start + 44
    self.value45 = start + 45
    self.value46 = start + 46
    self.value47 = start + 47
    self.value48 = start + 48
    self.value49 = start + 49
    self.value50 = start + 50
    self.value51 = start + 51
    self.value52 = start + 52
    self.value53 = start + 53
    self.value54 = start + 54
    self.value55 = start + 55
    self.value56 = start + 56
    self.value57 = start + 57
    self.value58 = start + 58
    self.value59 = start + 59
    self.value60 = start + 60
    self.value61 = start + 61
    self.value62 = start + 62
    self.value63 = start + 63
    self.value64 = start + 64
    self.value65 = start + 65
    self.value66 = start + 66
    self.value67 = start + 67
    self.value68 = start + 68
    self.value69 = start + 69
  }

  /// Sets the home last, and fails at a given position.
  init(_ start: Int, last home: Home, failing place: Int) throws {
    self.value0 = start + 0
    if place == 0 { throw Failure() }
    self.value1 = start + 1
    self.value2 = start + 2
    self.value3 = start + 3
    self.value4 = start + 4
    self.value5 = start + 5
    self.value6 = start + 6
    self.value7 = start + 7
    self.value8 = start + 8
    self.value9 = start + 9
    self.value10 = start + 10
    self.value11 = start + 11
    self.value12 = start + 12
    self.value13 = start + 13
    self.value14 = start + 14
    self.value15 = start + 15
    self.value16 = start + 16
    self.value17 = start + 17
    self.value18 = start + 18
    self.value19 = start + 19
    self.value20 = start + 20
    self.value21 = start + 21
    self.value22 = start + 22
    self.value23 = start + 23
    self.value24 = start + 24
    self.value25 = start + 25
    self.value26 = start + 26
    self.value27 = start + 27
    self.value28 = start + 28
    self.value29 = start + 29
    self.value30 = start + 30
    self.value31 = start + 31
    self.value32 = start + 32
    self.value33 = start + 33
    self.value34 = start + 34
    self.value35 = start + 35
    if place == 35 { throw Failure() }
    self.value36 = start + 36
    self.value37 = start + 37
    self.value38 = start + 38
    self.value39 = start + 39
    self.value40 = start + 40
    self.value41 = start + 41
    self.value42 = start + 42
    self.value43 = start + 43
    self.value44 = start + 44
    self.value45 = start + 45
    self.value46 = start + 46
    self.value47 = start + 47
    self.value48 = start + 48
    self.value49 = start + 49
    self.value50 = start + 50
    self.value51 = start + 51
    self.value52 = start + 52
    self.value53 = start + 53
    self.value54 = start + 54
    self.value55 = start + 55
    self.value56 = start + 56
    self.value57 = start + 57
    self.value58 = start + 58
    self.value59 = start + 59
    self.value60 = start + 60
    self.value61 = start + 61
    self.value62 = start + 62
    self.value63 = start + 63
    self.value64 = start + 64
    self.value65 = start + 65
    self.value66 = start + 66
    self.value67 = start + 67
    self.value68 = start + 68
    self.value69 = start + 69
    if place == 69 { throw Failure() }
    self.home = home
  }
}
