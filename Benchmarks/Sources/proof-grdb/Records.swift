import Foundation
import GRDB

// GRDB records for the tables of the store.

struct MakerRow: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "Maker"
  var key: Int64?
  var name: String
  var born: Double?

  private enum CodingKeys: String, CodingKey {
    case key = "_osd_key"
    case name, born
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { key = inserted.rowID }
}

struct RoomRow: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "Room"
  var key: Int64?
  var name: String
  var floor: Int
  var x: Double
  var y: Double?

  private enum CodingKeys: String, CodingKey {
    case key = "_osd_key"
    case name, floor, x, y
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { key = inserted.rowID }
}

struct LoanRow: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "Loan"
  var key: Int64?
  var name: String
  var from: Double
  var exhibit: Int64

  private enum CodingKeys: String, CodingKey {
    case key = "_osd_key"
    case name, from, exhibit
  }
}

struct LabelRow: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "Label"
  var key: Int64?
  var name: String

  private enum CodingKeys: String, CodingKey {
    case key = "_osd_key"
    case name
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { key = inserted.rowID }
}

/// A row of the table that relates exhibits to topics.
struct TopicPair: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "_osd_link_Exhibit_topics"
  var owner: Int64
  var target: Int64
}

/// A new exhibit. The record writes only the columns for which it has values.
struct ExhibitRow: PersistableRecord {
  static let databaseTableName = "Exhibit"
  let values: [String: (any DatabaseValueConvertible)?]

  func encode(to container: inout PersistenceContainer) {
    for (column, value) in values { container[column] = value }
  }
}

extension ExhibitRow {
  private static let mark = Data([
    0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF,
  ])

  /// A value for every column that must not be NULL.
  static var plain: [String: (any DatabaseValueConvertible)?] {
    [
      "isLent": false, "tiny": 0, "small": 0, "medium": 0, "wide": 0, "byte": 0, "short": 0, "long": 0, "huge": 0,
      "natural": 0, "weight": 0.0, "ratio": 0.0, "price": "0", "acquired": 0.0, "period": "[0,0]", "mark": mark,
      "page": "https://example.org/", "bytes": Data(), "film": Data(), "route": Data("a".utf8), "condition": "sound",
      "rank": 0, "origin_city": "Oslo", "origin_spot_latitude": 59.9, "origin_spot_longitude": 10.75,
      "origin_condition": "sound", "origin_names": "[]", "frame": #"{"none":{}}"#, "tags": "[]", "flags": "[]",
      "numbers": "[]", "huges": "[]", "weights": "[]", "prices": "[]", "dates": "[]", "marks": "[]", "pages": "[]",
      "blobs": "[]", "conditions": "[]", "spots": "[]", "gaps": "[]", "counts": "{}", "words": "[]",
    ]
  }

  /// A value for every column except for the name, the edition and the class.
  static var everything: [String: (any DatabaseValueConvertible)?] {
    [
      "title": "Pi\u{E9}ta", "subtitle": "from \u{3B1} to \u{3C9}", "isLent": true, "isFragile": false, "tiny": -5,
      "small": 300, "medium": 70_000, "wide": 5_000_000_000, "byte": 200, "short": 60_000, "long": 4_000_000_000,
      "huge": Data([0x80, 0, 0, 0, 0, 0, 0, 1]), "natural": 7, "number": -1, "hugeOrNil": 8, "weight": 12.25,
      "height": 0.1, "ratio": 0.5, "ratioOrNil": -1.5, "price": "1250.75", "fee": "-0.000001",
      "acquired": 700_000_000.5, "returned": 0.0, "period": "[0,4500000000000000000]", "mark": mark,
      "oldMark": Data(mark.reversed()), "page": "https://example.org/new", "oldPage": "https://example.org/old?x=1",
      "bytes": Data([0, 255]), "bytesOrNil": Data(), "scan": Data([1, 2, 3]), "film": Data([4, 5]),
      "route": Data("a\nb".utf8), "detour": Data("c".utf8), "condition": "sound",
      "formerCondition": "g\u{E9}brochen", "rank": 7, "formerRank": -1, "origin_city": "\u{14C}saka",
      "origin_spot_latitude": 34.5, "origin_spot_longitude": 135.25, "origin_year": 1969,
      "origin_condition": "sound", "origin_names": #"["a","b"]"#, "formerOrigin_city": "Nara",
      "formerOrigin_spot_latitude": 1.5, "formerOrigin_spot_longitude": 2.5, "formerOrigin_year": nil,
      "formerOrigin_condition": "sound", "formerOrigin_names": "[]", "hint": 1, "hint_text": "see", "hint_page": 9,
      "frame": #"{"wood":{"width":0.5}}"#, "formerFrame": #"{"none":{}}"#,
      "whole": #"{"latitude":1.5,"longitude":2.5}"#, "tags": "[\"x\",\"\u{E9}\"]", "tagsOrNil": #"["y"]"#,
      "flags": "[true]", "numbers": "[1,2]", "huges": "[3]", "weights": "[0.5]", "prices": "[1.5]", "dates": "[10]",
      "marks": #"["00112233-4455-6677-8899-AABBCCDDEEFF"]"#, "pages": #"["https://example.org/p"]"#,
      "blobs": #"["AQI="]"#, "conditions": #"["sound"]"#, "spots": #"[{"latitude":1,"longitude":2}]"#,
      "gaps": "[null,4]", "counts": #"{"k":1}"#, "words": #"["w"]"#,
    ]
  }
}
