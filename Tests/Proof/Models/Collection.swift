import SwiftData

/// The initial content of the museum: 36 exhibits of all classes, with all values that are hard to store.
struct Collection {
  private let context: ModelContext

  init(_ context: ModelContext) { self.context = context }

  func fill() throws {
    let makers = ["ada", "bo", "cy"].map { Maker($0) }
    let rooms = [
      Room("hall", floor: 0, x: 1, y: 2), Room("loft", floor: 5, x: -7.5, y: nil),
      Room("cellar", floor: -1, x: 1e9, y: .nan),
    ]
    let topics = ["war", "peace", "sea"].map { Topic($0) }
    for model in makers as [any PersistentModel] + rooms + topics { context.insert(model) }
    makers[0].pupils = [makers[2], makers[1]]
    makers[1].born = Date(timeIntervalSinceReferenceDate: -1_234_567.125)
    var exhibits: [Exhibit] = []
    for number in 1...36 {
      let exhibit = make(number, makers[number % 9 == 0 ? 2 : number % 2])
      context.insert(exhibit)
      setNumbers(exhibit, number)
      setTexts(exhibit, number)
      setLists(exhibit, number)
      exhibit.room = number % 4 == 0 ? nil : rooms[number % 3]
      exhibit.topics = number % 3 == 0 ? [] : number % 2 == 0 ? topics.reversed() : [topics[number % 3]]
      exhibit.related = Array(exhibits.suffix(number % 4).reversed())
      exhibit.copyOf = number % 6 == 0 ? exhibits[number - 3] : nil
      exhibits.append(exhibit)
    }
    addRest(exhibits)
    // Reorders lists, so that their order differs from the order of their members' keys.
    try context.save()
    rooms[1].exhibits.reverse()
    makers[0].works.swapAt(0, 3)
    topics[0].exhibits.reverse()
  }

  private func make(_ number: Int, _ maker: Maker) -> Exhibit {
    let (name, title) = ("exhibit \(number)", Self.texts[number % Self.texts.count])
    switch number % 4 {
    case 0: return Exhibit(name, title: title, edition: number, maker: maker)
    case 1: return Painting(name, title: title, edition: number, maker: maker, technique: "oil \(number % 5)")
    case 2: return Fresco(name, title: title, edition: number, maker: maker, wall: title)
    default: return Sculpture(name, title: title, edition: number, maker: maker, material: "stone \(number % 5)")
    }
  }

  private func addRest(_ exhibits: [Exhibit]) {
    for (number, exhibit) in exhibits.enumerated() where number % 5 == 0 {
      exhibit.label = Label("label \(number)")
      for place in 0...(number % 3) { context.insert(Loan("loan \(number).\(place)", of: exhibit)) }
    }
    exhibits[10].loans[0].pledges = [Pledge("gold", 12.5), Pledge("silver", 100)]
    let folder = Folder("root")
    context.insert(folder)
    folder.folders = ["c", "a", "b"].map { Folder($0) }
    for (one, other) in zip(folder.folders, folder.folders.dropFirst()) { one.next = other }
    #if Encryption
      for number in 1...3 {
        let secret = Secret("secret \(number)", "text \(number)", number)
        secret.picture = Data(repeating: UInt8(truncatingIfNeeded: number), count: number * 60_000)
        context.insert(secret)
      }
    #endif
  }

  private func setNumbers(_ exhibit: Exhibit, _ number: Int) {
    let isEven = number % 2 == 0
    (exhibit.isLent, exhibit.isFragile) = (isEven, number % 3 == 0 ? nil : !isEven)
    (exhibit.tiny, exhibit.small, exhibit.medium) = isEven ? (.min, .max, .min) : (.max, .min, .max)
    (exhibit.wide, exhibit.byte, exhibit.short, exhibit.long) = isEven ? (.min, .max, 1, .max) : (.max, 0, .max, 2)
    exhibit.huge = [0, UInt64(Int64.max), UInt64(Int64.max) + 1, .max][number % 4]
    (exhibit.natural, exhibit.number) = (isEven ? .max : 3, isEven ? nil : -number)
    exhibit.hugeOrNil = number % 3 == 0 ? .max : nil
    exhibit.weight = Self.doubles[number % Self.doubles.count]
    exhibit.height = number % 4 == 0 ? nil : Self.doubles[(number + 5) % Self.doubles.count]
    exhibit.ratio = [0.1, -0.0, .nan, .infinity, .leastNonzeroMagnitude, 16_777_216][number % 6]
    exhibit.ratioOrNil = isEven ? nil : -.greatestFiniteMagnitude
    exhibit.price = Self.decimals[number % Self.decimals.count]
    exhibit.fee = number % 5 == 0 ? nil : Self.decimals[(number * 3) % Self.decimals.count]
    exhibit.acquired = Date(timeIntervalSinceReferenceDate: [0.1, -1e9, 700_000_000.000_5, -0.0][number % 4])
    exhibit.returned = isEven ? nil : .distantFuture
    exhibit.period = .milliseconds(number * 1_500)
    exhibit.rank = [.minor, .usual, .major][number % 3]
    exhibit.formerRank = isEven ? .major : nil
  }

  private func setTexts(_ exhibit: Exhibit, _ number: Int) {
    let text = Self.texts[(number + 3) % Self.texts.count]
    exhibit.subtitle = number % 4 == 0 ? nil : text
    exhibit.condition = Condition.allCases[number % 3]
    exhibit.formerCondition = number % 2 == 0 ? .cracked : nil
    exhibit.mark = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255, UInt8(truncatingIfNeeded: number)))
    exhibit.oldMark = number % 2 == 0 ? nil : exhibit.mark
    exhibit.page = URL(string: "https://example.org/a%20b?c=\(number)#d") ?? exhibit.page
    exhibit.oldPage = number % 3 == 0 ? nil : URL(string: "part", relativeTo: exhibit.page)
    exhibit.bytes = Data((0..<number).map { UInt8(truncatingIfNeeded: $0 * 37) })
    exhibit.bytesOrNil = number % 2 == 0 ? Data() : nil
    exhibit.scan = number % 3 == 0 ? nil : .filled(number, number % 5 == 1 ? 200_000 : 10)
    exhibit.film = .filled(number + 1, number % 7 == 0 ? 150_000 : 0)
    exhibit.route = Route(stops: ["start", "e\u{301}tape", "end \(number)"])
    exhibit.detour = number % 2 == 0 ? nil : Route(stops: ["once"])
    if let painting = exhibit as? Painting {
      painting.plate = number % 3 == 0 ? nil : "plate \(number)"
      painting.place = number % 2 == 0 ? nil : origin(number + 1)
    }
    if let fresco = exhibit as? Fresco { fresco.thickness = Double(number) / 7 }
    if let sculpture = exhibit as? Sculpture { sculpture.plate = -number }
  }

  private func origin(_ number: Int) -> Origin {
    Origin(
      city: Self.texts[(number + 1) % Self.texts.count],
      spot: Spot(latitude: number == 8 ? -0.0 : Double(number) * 2.5 - 40, longitude: Double(number) / 3 - 7),
      year: number % 2 == 0 ? nil : 1_000 + number, condition: Condition.allCases[number % 3],
      names: ["x\(number)", "e\u{301}"])
  }

  private func setLists(_ exhibit: Exhibit, _ number: Int) {
    exhibit.origin = origin(number)
    exhibit.formerOrigin = number % 3 == 0 ? origin(number + 7) : nil
    exhibit.hint = [nil, Hint(), Hint(text: "e\u{301}", page: nil), Hint(text: nil, page: number)][number % 4]
    exhibit.frame = [.none, .wood(width: 0.5), .carved(["a\u{0}", ""], by: nil)][number % 3]
    exhibit.formerFrame = number % 2 == 0 ? nil : .carved([], by: "e\u{301}")
    exhibit.whole = number % 2 == 0 ? nil : Spot(latitude: 0.1, longitude: -0.2)
    exhibit.tags = Array(Self.texts.prefix(number % 5))
    exhibit.tagsOrNil = number % 2 == 0 ? nil : []
    exhibit.flags = [true, false]
    exhibit.numbers = [.min, 0, .max]
    exhibit.huges = [.max]
    exhibit.weights = [0.1, 1e300, -5]
    exhibit.prices = [12.5, -3]
    exhibit.dates = [exhibit.acquired]
    exhibit.marks = [exhibit.mark]
    exhibit.pages = [exhibit.page]
    exhibit.blobs = [Data(), Data([0, 255])]
    exhibit.conditions = Condition.allCases
    exhibit.spots = [Spot(latitude: 1, longitude: 2)]
    exhibit.gaps = [1, nil, Int(number)]
    exhibit.counts = ["e\u{301}": 1, "": number]
    exhibit.words = ["a", "\(number)", "\u{1F3DB}"]
  }
}

extension Collection {
  /// Texts in normal forms C and D and in neither form, with characters that other programs treat as the end of a text,
  /// a quote or a separator.
  static let texts = [
    "plain", "Z\u{FC}rich", "Zu\u{308}rich", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}", "\u{D55C}\u{AE00}",
    "a\u{0}b",
    "a\u{1}b", "", "\u{1F3DB}\u{FE0F}", "q\u{307}\u{323}", "\u{212B}", "it's \"so\"; -- %_*?[a]",
    "line\nbreak\r\n\ttab", "\\x",
    "\u{FEFF}mark", "\u{10FFFF}", " space ", "1e5", "NULL", "\u{915}\u{93C}",
  ]

  static let doubles: [Double] = [
    0, -0.0, .nan, Double(nan: 5, signaling: false), .infinity, -.infinity,
    .greatestFiniteMagnitude, 0.1, 1.0 / 3, -1e300, 1e15 + 0.5, .pi, .leastNormalMagnitude, 123_456_789.123_456_78,
  ]

  static let decimals: [Decimal] =
    [
      "0", "12.5", "-0.000000000000000000000001", "12345678901234567890123456789012345678",
      "12345678901234567890123456789012345677", "-12345678901234567890123456789012345678", "0.1", "100", "-100",
      "99.99",
      "1000000000000000000000000000000000000000000000", "-7", "0.10000000000000000000000000000000000001",
    ].compactMap { Decimal(string: $0) } + [Decimal.nan]
}

extension Data {
  static func filled(_ byte: Int, _ count: Int) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: byte), count: count)
  }
}
