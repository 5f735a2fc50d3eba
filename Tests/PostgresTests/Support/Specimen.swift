#if PostgreSQL
  import Foundation
  import PersistenceCore

  enum Maturity: Int, Codable, CaseIterable, Sendable {
    case young = 3
    case old = 1
  }

  /// A model with an optional and a required attribute of every stored type, and with an attribute whose name is a
  /// reserved word in PostgreSQL.
  @Model
  final class Specimen {
    #Index<Specimen>([\.name], [\.price], [\.rest, \.size], [\.tags])
    @Attribute(.unique) var code: Int
    var name: String
    var nickname: String?
    var count: Int
    var rest: Int?
    var small: Int8
    var size: UInt64
    var weight: Double
    var ratio: Double?
    var share: Float
    var price: Decimal
    var discount: Decimal?
    var isOpen: Bool
    var isGood: Bool?
    var date: Date
    var token: UUID
    var bytes: Data
    var link: URL
    var maturity: Maturity
    var tags: [String]
    var marks: [Int]
    var notes: [String: Int]
    var xmin: Double

    init(_ code: Int) {
      self.code = code
      name = ""
      count = 0
      small = 0
      size = 0
      weight = 0
      share = 0
      price = 0
      isOpen = false
      date = Date(timeIntervalSinceReferenceDate: 0)
      token = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
      bytes = Data()
      link = URL(filePath: "/")
      maturity = .young
      tags = []
      marks = []
      notes = [:]
      xmin = 0
    }
  }

  /// A model with two unique attributes. A new object may therefore have the unique values of two different rows.
  @Model
  final class Holder {
    @Attribute(.unique) var name: String
    @Attribute(.unique) var number: Int?
    var note: String?
    @Relationship(deleteRule: .cascade, inverse: \Holding.holder) var holdings: [Holding] = []
    @Relationship(inverse: nil) var friends: [Holder] = []

    init(_ name: String, number: Int? = nil) {
      self.name = name
      self.number = number
    }
  }

  @Model
  class Holding {
    var title: String
    var holder: Holder?

    init(_ title: String) { self.title = title }
  }

  @Model
  final class Ship: Holding {
    @Attribute(.unique) var mark: String = ""
    var length: Double = 0

    init(_ title: String, mark: String) {
      super.init(title)
      self.mark = mark
    }
  }
#endif
