import SwiftData
import Testing

@Suite("Types of stored properties")
struct ValueTypeTests {
  @Test("Numbers, texts, dates and bytes keep their exact values", arguments: [Int8(-1), 1])
  func scalars(sign: Int8) throws {
    let expected = Scalars(sign: sign)
    try roundTrip(Scalars(sign: sign)) {
      #expect($0.bool == expected.bool && $0.int == expected.int && $0.int8 == expected.int8)
      #expect($0.int16 == expected.int16 && $0.int32 == expected.int32 && $0.int64 == expected.int64)
      #expect($0.uint == expected.uint && $0.uint8 == expected.uint8 && $0.uint16 == expected.uint16)
      #expect($0.uint32 == expected.uint32 && $0.uint64 == expected.uint64)
      #expect($0.float == expected.float && $0.double == expected.double && $0.decimal == expected.decimal)
      #expect($0.string == expected.string && $0.date == expected.date && $0.uuid == expected.uuid)
      #expect($0.url == expected.url && $0.data == expected.data && $0.interval == expected.interval)
      #expect($0.duration == expected.duration)
    }
  }

  @Test("Optional values may be missing") func missing() throws {
    try roundTrip(OptionalScalars()) { scalars in
      #expect(scalars.bool == nil && scalars.int == nil && scalars.int32 == nil && scalars.int64 == nil)
      #expect(scalars.uint32 == nil && scalars.uint64 == nil && scalars.float == nil && scalars.double == nil)
      #expect(scalars.decimal == nil && scalars.string == nil && scalars.date == nil && scalars.uuid == nil)
      #expect(scalars.url == nil && scalars.data == nil && scalars.interval == nil && scalars.size == nil)
      #expect(scalars.letter == nil && scalars.plain == nil && scalars.place == nil && scalars.strings == nil)
    }
  }

  @Test("Optional values may be there, and an empty one is not a missing one") func present() throws {
    let date = Date(timeIntervalSinceReferenceDate: -1)
    let scalars = OptionalScalars()
    scalars.bool = false
    scalars.int = 0
    scalars.int32 = -1
    scalars.int64 = .min
    scalars.uint32 = .max
    scalars.uint64 = .max
    scalars.float = 0
    scalars.double = -0.5
    scalars.decimal = 0
    scalars.string = ""
    scalars.date = date
    scalars.url = URL(string: "a")
    scalars.data = Data()
    scalars.interval = 0
    scalars.size = .small
    scalars.letter = .b
    scalars.plain = .one
    scalars.place = Place(city: "")
    scalars.strings = []
    try roundTrip(scalars) {
      #expect($0.bool == false && $0.int == 0 && $0.int32 == -1 && $0.int64 == .min)
      #expect($0.uint32 == .max && $0.uint64 == .max && $0.float == 0 && $0.double == -0.5 && $0.decimal == 0)
      #expect($0.string == "" && $0.date == date && $0.uuid == nil && $0.url == URL(string: "a"))
      #expect($0.data == Data() && $0.interval == 0 && $0.size == .small && $0.letter == .b && $0.plain == .one)
      #expect($0.place == Place(city: "") && $0.strings == [])
    }
  }

  @Test("Enumerations, structures and collections") func composites() throws {
    let expected = Composites()
    try roundTrip(Composites()) {
      #expect($0.size == .large && $0.letter == .b && $0.plain == .two && $0.shape == .circle(radius: 1.5))
      #expect($0.place == expected.place && $0.places == expected.places && $0.strings == expected.strings)
      #expect($0.int64s == expected.int64s && $0.urls == expected.urls && $0.dates == expected.dates)
      #expect($0.letters == expected.letters && $0.set == expected.set && $0.dictionary == expected.dictionary)
      #expect($0.sparse == expected.sparse && $0.nested == expected.nested && $0.byLetter == expected.byLetter)
      #expect($0.box == expected.box && $0.boxes == expected.boxes && $0.options == expected.options)
      #expect($0.tag == expected.tag && $0.room == expected.room && $0.range == 1...5)
      #expect($0.zone == expected.zone && $0.locale == expected.locale && $0.blob == expected.blob)
    }
  }

  @Test("Members of structures and elements of collections change in place") func changes() throws {
    try roundTrip(
      Composites(),
      changing: {
        $0.place.city = "new"
        $0.place.location?.latitude = 9
        $0.places[1].zip = nil
        $0.strings.removeFirst()
        $0.set.insert("r")
        $0.dictionary["k"] = nil
        $0.nested["n", default: []].append(3)
        $0.box.value += 1
        $0.shape = .none
        $0.options.remove(.first)
        $0.blob = Data([1])
      }
    ) {
      #expect($0.place.city == "new" && $0.place.location?.latitude == 9 && $0.places[1] == Place(city: "c"))
      #expect($0.strings == ["", "y"] && $0.set == ["p", "q", "r"] && $0.dictionary.isEmpty)
      #expect($0.nested == ["n": [1, 2, 3]] && $0.box.value == 4 && $0.shape == .none && $0.options == .second)
      #expect($0.blob == Data([1]))
    }
  }
}
