import ConformanceSupport
import SwiftData
import Testing

@Suite("Indexes on decimals")
struct DecimalIndexTests {
  private let store: TestStore

  init() throws {
    store = try TestStore(.file, [Sale.self, Bargain.self, Field.self])
    let context = store.context()
    for number in 0..<60 {
      let price = Decimal(number - 30) / 8
      context.insert(Bargain(price, discount: number % 2 == 0 ? nil : price, number: number))
      context.insert(Field(price, size: number % 2 == 0 ? nil : UInt64(number) << 58))
    }
    try context.save()
  }

  private func check<Model: PersistentModel>(
    _ predicate: Predicate<Model>?, _ words: String, sort: [SortDescriptor<Model>] = [],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let plan = try FetchDescriptor(predicate: predicate, sortBy: sort).explain(in: store.context())
    #expect(
      plan.inMemory.isEmpty && plan.plan.contains { $0.text.contains(words) }, "\(plan)", sourceLocation: location)
    // A fetch without a sort descriptor is sorted by key, so SQLite must sort the rows that a range finds. With a
    // reversed sort, SQLite sorts only rows with equal values, by key.
    let sorts = plan.plan.contains { $0.text.contains("TEMP B-TREE FOR ORDER BY") }
    #expect(!sorts || sort.isEmpty, "\(plan)", sourceLocation: location)
  }

  @Test("indexes are used for equality, ranges, lists and sorts, including members, optionals and subclasses")
  func plans() throws {
    let (low, high, list) = (Decimal(1), Decimal(2), [Decimal(1), 2])
    let price = "_osd_index_Sale_price"
    try check(#Predicate<Sale> { $0.price == low }, "\(price) (<expr>=?)")
    try check(#Predicate<Sale> { $0.price >= low && $0.price < high }, "\(price) (<expr>>? AND <expr><?)")
    try check(#Predicate<Sale> { (low...high).contains($0.price) }, "\(price) (<expr>>? AND <expr><?)")
    try check(#Predicate<Sale> { list.contains($0.price) }, "\(price) (<expr>=?)")
    try check(#Predicate<Sale> { $0.price > low + high }, "\(price) (<expr>>?)", sort: [SortDescriptor(\.price)])
    try check(nil, price, sort: [SortDescriptor<Sale>(\.price)])
    try check(nil, price, sort: [SortDescriptor<Sale>(\.price, order: .reverse)])
    try check(
      #Predicate<Sale> { $0.count == 1 && $0.discount == low }, "_osd_index_Sale_count_discount (count=? AND <expr>=?)")
    try check(
      #Predicate<Sale> { $0.count == 1 && $0.discount == nil }, "_osd_index_Sale_count_discount (count=? AND <expr>=?)")
    try check(
      #Predicate<Sale> { $0.count == 1 }, "_osd_index_Sale_count_discount (count=?)", sort: [SortDescriptor(\.discount)]
    )
    try check(#Predicate<Sale> { $0.portion.net == low }, "_osd_index_Sale_portion_net (<expr>=?)")
    try check(#Predicate<Bargain> { $0.rebate == low }, "_osd_index_Bargain_rebate (<expr>=?)")
    try check(#Predicate<Bargain> { $0.price == low }, "\(price) (<expr>=?)")
    try check(#Predicate<Sale> { $0.number == low }, "_osd_unique_Sale_number (number=?)")
  }

  @Test("indexes and R-trees stay current when programs without the library write")
  func otherPrograms() throws {
    let path = store.configuration.url.path
    try RawDatabase(path).rows("PRAGMA wal_checkpoint(TRUNCATE)")
    let plain = try RawDatabase(path)
    let decimals = try plain.column("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    #expect(decimals.allSatisfy { !$0.contains("COLLATE") || $0.contains("UNICODE") })
    #expect(decimals.allSatisfy { $0.firstMatch(of: /_osd_[a-z_]+\(/) == nil })
    #expect(try plain.problems() == [])
    let columns = "price, cost, count, discount, portion_gross, portion_net, number, rebate"
    let values = "'-0.5', '1', 1, '7', '2', '-12345678901234567890123456789012345678', '100', '3'"
    try plain.rows("INSERT INTO Sale (_osd_key, _osd_entity, \(columns)) VALUES (1000, 'Bargain', \(values))")
    try plain.rows("UPDATE Sale SET price = '-12345678901234567890.25' WHERE _osd_key = 2")
    try plain.rows("DELETE FROM Sale WHERE _osd_key BETWEEN 3 AND 20")
    try plain.rows("INSERT INTO Field (_osd_key, price, size, width, height) VALUES (1000, '-77.5', 3, 1, 2)")
    try plain.rows("UPDATE Field SET price = '88', size = NULL WHERE _osd_key = 2")
    try plain.rows("DELETE FROM Field WHERE _osd_key BETWEEN 3 AND 20")
    for command in ["REINDEX", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"] { try plain.rows(command) }
    #expect(try plain.problems() == [])
    let context = store.context()
    let limit: Decimal = -4
    let least = try context.fetch(FetchDescriptor<Sale>(predicate: #Predicate { $0.price < limit }))
    #expect(least.map(\.price) == [Decimal(string: "-12345678901234567890.25")])
    let net = try #require(Decimal(string: "-12345678901234567890123456789012345678"))
    #expect(try context.fetchCount(FetchDescriptor<Sale>(predicate: #Predicate { $0.portion.net == net })) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Sale>()) == 43)
    let (cheap, dear) = (Decimal(-78), Decimal(88))
    let fields = try context.fetch(
      FetchDescriptor<Field>(predicate: #Predicate { $0.price >= cheap && $0.price <= dear }))
    #expect(fields.count == 43 && fields.contains { $0.price == dear } && fields.contains { $0.size == 3 })
  }

  @Test(
    "in texts of other programs, 12.50, +1 and 1e3 are numbers; other texts are not")
  func foreignForms() throws {
    let store = try TestStore(.file, [Sale.self, Bargain.self])
    let context = store.context()
    for number in 0..<4 { context.insert(Sale(0, discount: nil, number: number)) }
    try context.save()
    let plain = try RawDatabase(store.configuration.url.path)
    for (key, text) in [(1, "12.50"), (2, "+1"), (3, "1e3")] {
      try plain.rows("UPDATE Sale SET cost = '\(text)' WHERE _osd_key = \(key)")
    }
    try plain.rows("UPDATE Sale SET cost = 7.5 WHERE _osd_key = 4")
    let costs = try store.context().fetch(FetchDescriptor<Sale>(sortBy: [SortDescriptor(\.cost)])).map(\.cost)
    #expect(costs == [1, Decimal(string: "7.5"), Decimal(string: "12.5"), 1000])
  }
}
