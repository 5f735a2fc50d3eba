import SwiftData

extension DamageStore {
  /// Creates a store with some rows of every entity.
  package static func make(in folder: URL) throws {
    let context = ModelContext(try container(of: DamageV1.self, in: folder))
    for index in 0..<24 { context.insert(sample(index)) }
    let authors = try library(in: context)
    folders(in: context)
    vehicles(of: authors, in: context)
    for index in 0..<12 { context.insert(measure(index)) }
    #if Encryption
      for index in 0..<6 { context.insert(secret(index)) }
    #endif
    try context.save()
  }

  private static func sample(_ index: Int) -> DamageV1.Sample {
    let number = Double(index)
    let corner = Point(x: number, y: -number, label: index.isMultiple(of: 2) ? "corner \(index)" : nil)
    let place = Place(city: "city \(index % 5)", number: Int16(index), corner: corner, other: nil, mood: .wild)
    let sample = DamageV1.Sample(
      code: "code \(index)", name: "näme \(index % 7)", place: place, route: Route(stops: ["a"]))
    sample.int = index * 1_000
    sample.int16 = Int16(index)
    sample.uint64 = .max - UInt64(index)
    sample.double = number / 3
    sample.date = Date(timeIntervalSinceReferenceDate: number * 86_400)
    sample.decimal = Decimal(index) / 8
    (sample.x, sample.y) = (number * 2, number / 2)
    sample.mood = Mood.allCases[index % 3]
    sample.content = index.isMultiple(of: 2) ? .text("text \(index)") : .size(width: number, height: 1)
    sample.list = Array(0..<index)
    sample.names = ["a", "b\(index)"]
    sample.points = [corner]
    sample.counts = ["a": index]
    sample.shapes = [index: corner]
    sample.moods = [.calm, .asleep]
    sample.prices = [Decimal(index) / 10]
    if index.isMultiple(of: 3) { fillOptionals(of: sample, index, place) }
    return sample
  }

  private static func fillOptionals(of sample: DamageV1.Sample, _ index: Int, _ place: Place) {
    sample.whole = place
    sample.placeOrNil = place
    sample.placeOrNil?.other = place.corner
    sample.picture = Data(repeating: UInt8(index), count: index.isMultiple(of: 6) ? 120_000 : 10)
    sample.body = String(repeating: "body ", count: index.isMultiple(of: 9) ? 30_000 : 2)
    sample.intOrNil = index
    sample.uint64OrNil = .max
    sample.doubleOrNil = .infinity
    sample.floatOrNil = 1
    sample.flagOrNil = true
    sample.textOrNil = "text"
    sample.dateOrNil = sample.date
    sample.uuidOrNil = sample.uuid
    sample.urlOrNil = sample.url
    sample.dataOrNil = Data([1, 2])
    sample.decimalOrNil = 1
    sample.moodOrNil = .calm
    sample.gradeOrNil = .high
    sample.contentOrNil = .nothing
    sample.listOrNil = [1.5]
  }

  private static func library(in context: ModelContext) throws -> [DamageV1.Author] {
    let authors = (0..<8).map { DamageV1.Author("author \($0)") }
    let tags = (0..<6).map { DamageV1.Tag("tag \($0)") }
    for author in authors { context.insert(author) }
    for tag in tags { context.insert(tag) }
    for (index, author) in authors.enumerated() {
      author.books = (0..<4).map { DamageV1.Book("title \($0)", pages: index * 10 + $0) }
      for (place, book) in author.books.enumerated() { book.tags = [tags[place], tags[(place + index) % 6]] }
      author.passport = index.isMultiple(of: 2) ? DamageV1.Passport(UInt32(index)) : nil
      author.following = [authors[(index + 1) % 8], authors[(index + 3) % 8]]
      author.favourite = author.books.last
      author.interests = [tags[index % 6]]
    }
    return authors
  }

  private static func folders(in context: ModelContext) {
    let folders = (0..<15).map { DamageV1.Folder("folder \($0)") }
    for (index, folder) in folders.enumerated() {
      context.insert(folder)
      guard index > 0 else { continue }
      folder.parent = folders[(index - 1) / 2]
      folder.previous = folders[index - 1]
    }
  }

  private static func vehicles(of authors: [DamageV1.Author], in context: ModelContext) {
    let garage = DamageV1.Garage("garage", keeper: authors[0])
    context.insert(garage)
    context.insert(DamageV1.Garage("empty", keeper: authors[1]))
    for index in 0..<4 {
      let car = DamageV1.Car("car \(index)")
      let fast = DamageV1.SportsCar("fast \(index)")
      let vehicles = [DamageV1.Vehicle("vehicle \(index)"), car, fast]
      for vehicle in vehicles { context.insert(vehicle) }
      car.owner = authors[index]
      authors[index].racer = fast
      authors[index].fleet = [car, fast]
      fast.seats = ["a", "b"]
      vehicles[0].spares = [car, fast]
      for vehicle in vehicles {
        vehicle.serial = "\(vehicle.name)"
        vehicle.garage = index.isMultiple(of: 2) ? garage : nil
      }
    }
  }

  private static func measure(_ index: Int) -> DamageV1.Measure {
    let measure = DamageV1.Measure(index, Double(index) * 1.5, "note \(index)")
    measure.tags = ["a", "b"]
    measure.amount = UInt32(index)
    measure.chart = index == 3 ? Data(repeating: 3, count: 110_000) : nil
    return measure
  }

  #if Encryption
    private static func secret(_ index: Int) -> DamageV1.Secret {
      let secret = DamageV1.Secret("secret \(index)")
      secret.picture = Data(repeating: 1, count: index == 0 ? 120_000 : 9)
      return secret
    }
  #endif
}
