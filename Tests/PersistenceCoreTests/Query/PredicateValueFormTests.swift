import Foundation
import PersistenceCore
import Testing

@Suite("The stored form of values in predicates")
struct PredicateValueFormTests {
  private func value(_ predicate: Predicate<Item>) throws -> QueryValue? {
    try translate(predicate).values.last
  }

  @Test("integers of every width are stored as 64-bit integers")
  func integers() throws {
    let tiny: Int8 = -3
    let short: Int16 = -3
    let medium: Int32 = -3
    let long: Int64 = -3
    let byte: UInt8 = 3
    let word: UInt16 = 3
    let double: UInt32 = 3
    #expect(try value(#Predicate { $0.tiny == tiny }) == .integer(-3))
    #expect(try value(#Predicate { $0.short == short }) == .integer(-3))
    #expect(try value(#Predicate { $0.medium == medium }) == .integer(-3))
    #expect(try value(#Predicate { $0.long == long }) == .integer(-3))
    #expect(try value(#Predicate { $0.byte == byte }) == .integer(3))
    #expect(try value(#Predicate { $0.word == word }) == .integer(3))
    #expect(try value(#Predicate { $0.double == double }) == .integer(3))
  }

  @Test("an integer above Int64.max is stored as 8 bytes, the most significant first")
  func largeIntegers() throws {
    let small: UInt64 = 5
    let large = UInt64(Int64.max) + 1
    let natural: UInt = .max
    #expect(try value(#Predicate { $0.large == small }) == .integer(5))
    #expect(try value(#Predicate { $0.large == large }) == .blob(Data([0x80, 0, 0, 0, 0, 0, 0, 0]), .integer))
    #expect(try value(#Predicate { $0.natural == natural }) == .blob(Data(repeating: 0xFF, count: 8), .integer))
  }

  @Test("floating-point numbers and dates are stored as 64-bit floating-point numbers")
  func reals() throws {
    let ratio: Float = 0.1
    let date = Date(timeIntervalSinceReferenceDate: 1.5)
    #expect(try value(#Predicate { $0.score == 0.25 }) == .real(0.25))
    #expect(try value(#Predicate { $0.ratio == ratio }) == .real(Double(ratio)))
    #expect(try value(#Predicate { $0.date == date }) == .real(1.5))
  }

  @Test("not-a-number is stored as text")
  func notANumber() {
    #expect(Double.nan.queryValue == .text("NaN", .real))
    #expect(Float.nan.queryValue.isNotANumber)
  }

  @Test("decimals are stored as text, and are compared by value")
  func decimals() throws {
    let price = Decimal(string: "10.50", locale: Locale(identifier: "en_US_POSIX"))
    #expect(try price.map { price in try value(#Predicate { $0.price == price }) } == .text("10.5", .decimal))
  }

  @Test("UUIDs and data are stored as bytes")
  func bytes() throws {
    let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    let data = Data([9])
    #expect(try value(#Predicate { $0.id == id }) == .blob(Data(1...16), .blob))
    #expect(try value(#Predicate { $0.bytes == data }) == .blob(data, .blob))
  }

  @Test("URLs are stored as text as written, followed by a space and their base")
  func urls() throws {
    let absolute = URL(string: "https://example.org/a")
    let base = URL(string: "https://example.org/")
    let relative = URL(string: "a", relativeTo: base)
    #expect(try value(#Predicate { $0.link == absolute }) == .text("https://example.org/a", .url))
    #expect(try value(#Predicate { $0.link == relative }) == .text("a https://example.org/", .url))
  }

  @Test("optionals have the stored form of their wrapped value")
  func optionals() throws {
    let due: Date? = Date(timeIntervalSinceReferenceDate: 2)
    let rank = 4
    let none: Date? = nil
    #expect(try value(#Predicate { $0.due == due }) == .real(2))
    #expect(try value(#Predicate { $0.due == none }) == .null)
    #expect(try value(#Predicate { $0.rank == rank }) == .integer(4))
  }

  @Test("enums, including optional ones, are stored as their raw values")
  func enums() throws {
    let stage = Stage.done
    let level = Level.low
    let noStage: Stage? = nil
    #expect(try value(#Predicate { $0.stage == stage }) == .text("done", .text))
    #expect(try value(#Predicate { $0.level == level }) == .integer(1))
    #expect(try value(#Predicate { $0.lastStage == stage }) == .text("done", .text))
    #expect(try value(#Predicate { $0.lastStage == noStage }) == .null)
  }

  @Test("other Codable values are stored as JSON with sorted keys")
  func json() throws {
    let spot = Spot(street: "Main/1", city: "Oslo")
    let tags = ["b", "a"]
    #expect(try value(#Predicate { $0.spot == spot }) == .text(#"{"city":"Oslo","street":"Main/1"}"#, .json))
    #expect(try value(#Predicate { $0.tags == tags }) == .text(#"["b","a"]"#, .json))
  }
}
