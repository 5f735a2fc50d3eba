import SwiftData
import Testing

@Suite("Types of stored properties")
struct ValueTypeTests {
  @Test("Numbers, texts, dates and bytes keep their exact values", arguments: [Int8(-1), 1])
  func scalars(sign: Int8) throws {
    let expected = Scalars(sign: sign)
    try roundTrip(Scalars(sign: sign)) {
      #expect($0.bool == expected.bool)
      #expect($0.int == expected.int)
      #expect($0.int8 == expected.int8)
      #expect($0.int16 == expected.int16)
      #expect($0.int32 == expected.int32)
      #expect($0.int64 == expected.int64)
      #expect($0.uint == expected.uint)
      #expect($0.uint8 == expected.uint8)
      #expect($0.uint16 == expected.uint16)
      #expect($0.uint32 == expected.uint32)
      #expect($0.uint64 == expected.uint64)
      #expect($0.float == expected.float)
      #expect($0.double == expected.double)
      #expect($0.decimal == expected.decimal)
      #expect($0.string == expected.string)
      #expect($0.date == expected.date)
      #expect($0.uuid == expected.uuid)
      #expect($0.url == expected.url)
      #expect($0.data == expected.data)
      #expect($0.interval == expected.interval)
      #expect($0.duration == expected.duration)
    }
  }

  @Test("Optional values may be nil") func missing() throws {
    try roundTrip(OptionalScalars()) { scalars in
      #expect(scalars.bool == nil)
      #expect(scalars.int == nil)
      #expect(scalars.int32 == nil)
      #expect(scalars.int64 == nil)
      #expect(scalars.uint32 == nil)
      #expect(scalars.uint64 == nil)
      #expect(scalars.float == nil)
      #expect(scalars.double == nil)
      #expect(scalars.decimal == nil)
      #expect(scalars.string == nil)
      #expect(scalars.date == nil)
      #expect(scalars.uuid == nil)
      #expect(scalars.url == nil)
      #expect(scalars.data == nil)
      #expect(scalars.interval == nil)
      #expect(scalars.size == nil)
      #expect(scalars.letter == nil)
      #expect(scalars.plain == nil)
      #expect(scalars.place == nil)
      #expect(scalars.strings == nil)
    }
  }

  @Test("Optional values may have a value; an empty value is not nil") func present() throws {
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
      #expect($0.bool == false)
      #expect($0.int == 0)
      #expect($0.int32 == -1)
      #expect($0.int64 == .min)
      #expect($0.uint32 == .max)
      #expect($0.uint64 == .max)
      #expect($0.float == 0)
      #expect($0.double == -0.5)
      #expect($0.decimal == 0)
      #expect($0.string == "")
      #expect($0.date == date)
      #expect($0.uuid == nil)
      #expect($0.url == URL(string: "a"))
      #expect($0.data == Data())
      #expect($0.interval == 0)
      #expect($0.size == .small)
      #expect($0.letter == .b)
      #expect($0.plain == .one)
      #expect($0.place == Place(city: ""))
      #expect($0.strings == [])
    }
  }

  @Test("Properties may be enumerations, structures and collections") func composites() throws {
    let expected = Composites()
    try roundTrip(Composites()) {
      #expect($0.size == .large)
      #expect($0.letter == .b)
      #expect($0.plain == .two)
      #expect($0.shape == .circle(radius: 1.5))
      #expect($0.place == expected.place)
      #expect($0.places == expected.places)
      #expect($0.strings == expected.strings)
      #expect($0.int64s == expected.int64s)
      #expect($0.urls == expected.urls)
      #expect($0.dates == expected.dates)
      #expect($0.letters == expected.letters)
      #expect($0.set == expected.set)
      #expect($0.dictionary == expected.dictionary)
      #expect($0.sparse == expected.sparse)
      #expect($0.nested == expected.nested)
      #expect($0.byLetter == expected.byLetter)
      #expect($0.box == expected.box)
      #expect($0.boxes == expected.boxes)
      #expect($0.options == expected.options)
      #expect($0.tag == expected.tag)
      #expect($0.room == expected.room)
      #expect($0.range == 1...5)
      #expect($0.zone == expected.zone)
      #expect($0.locale == expected.locale)
      #expect($0.blob == expected.blob)
    }
  }

  @Test("Members of structures and elements of collections can be changed in place") func changes() throws {
    try roundTrip(changing: Composites()) {
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
    } then: {
      #expect($0.place.city == "new")
      #expect($0.place.location?.latitude == 9)
      #expect($0.places[1] == Place(city: "c"))
      #expect($0.strings == ["", "y"])
      #expect($0.set == ["p", "q", "r"])
      #expect($0.dictionary.isEmpty)
      #expect($0.nested == ["n": [1, 2, 3]])
      #expect($0.box.value == 4)
      #expect($0.shape == .none)
      #expect($0.options == .second)
      #expect($0.blob == Data([1]))
    }
  }
}
