import ConformanceSupport
import SwiftData
import Testing

private enum Answer: Codable, Hashable {
  case words(Set<String>)
  case number(Double)
  case text(String)
}

/// A model with values that are stored as JSON. Some properties occur twice, so that predicates can compare two
/// columns.
@Model
private final class Sheet {
  var name: String
  var colours: Set<String> = []
  var otherColours: Set<String> = []
  var reals: [Double] = []
  var otherReals: [Double] = []
  var floats: [Float]?
  var decimals: [Decimal] = []
  var map: [String: Double] = [:]
  var otherMap: [String: Double] = [:]
  var words: [String] = []
  var otherWords: [String] = []
  var answer: Answer
  var otherAnswer: Answer

  init(_ name: String, _ answer: Answer) {
    self.name = name
    self.answer = answer
    otherAnswer = answer
  }
}

@Suite("Comparisons of values that are stored as JSON")
struct WholeValueTests {
  private static func world(_ engine: Engine) throws -> World {
    let store = try TestStore(engine, [Sheet.self])
    let context = store.context()
    let many = Set((0..<20).map { "colour \($0)" })
    let sheets = [
      Sheet("zero", .number(-0.0)), Sheet("nan", .number(.nan)), Sheet("sets", .words(many)),
      Sheet("texts", .text("e\u{301}")), Sheet("empty", .words([])),
    ]
    for sheet in sheets { context.insert(sheet) }
    (sheets[0].reals, sheets[0].otherReals) = ([-0.0], [0])
    (sheets[0].floats, sheets[0].map, sheets[0].otherMap) = ([-0.0], ["a": -0.0], ["a": 0])
    (sheets[1].reals, sheets[1].otherReals, sheets[1].map) = ([.nan], [.nan], ["a": .nan])
    // Both sets contain the same elements in another order. The order of a set differs in each process.
    sheets[2].colours = many
    sheets[2].otherColours = Set(many.sorted().reversed())
    for sheet in sheets[2...] { (sheet.reals, sheet.otherReals) = ([1, 2], [1, 2]) }
    sheets[0].otherAnswer = .number(0)
    sheets[2].otherAnswer = .words(sheets[2].otherColours)
    sheets[3].words = ["e\u{301}", "a"]
    sheets[3].otherWords = ["\u{E9}", "a"]
    sheets[3].decimals = [Decimal(string: "1.50") ?? 0]
    sheets[3].otherAnswer = .text("\u{E9}")
    try context.save()
    return World(store: store)
  }

  @Test("numbers in JSON are compared as numbers, including zeros and not-a-number", arguments: Engine.allCases)
  func numbers(_ engine: Engine) throws {
    let world = try Self.world(engine)
    let (zero, nan, plain) = ([0.0], [Double.nan], [1.0, 2.0])
    let (floats, map, decimals) = ([Float(0)], ["a": 0.0], [Decimal(string: "1.5") ?? 0])
    try world.check(#Predicate<Sheet> { $0.reals == zero }, inMemory: true, matches: 1)
    try world.check(#Predicate<Sheet> { $0.reals == nan }, inMemory: true, matches: 0)
    try world.check(#Predicate<Sheet> { $0.reals != nan }, inMemory: true, matches: 5)
    try world.check(#Predicate<Sheet> { $0.reals == plain }, matches: 3)
    try world.check(#Predicate<Sheet> { $0.reals == $0.otherReals }, inMemory: true, matches: 4)
    try world.check(#Predicate<Sheet> { $0.floats == floats }, inMemory: true, matches: 1)
    try world.check(#Predicate<Sheet> { $0.map == map }, inMemory: true, matches: 1)
    try world.check(#Predicate<Sheet> { $0.map == $0.otherMap }, inMemory: true, matches: 4)
    try world.check(#Predicate<Sheet> { $0.decimals == decimals }, inMemory: true, matches: 1)
  }

  @Test("two sets are equal regardless of the order of their stored elements", arguments: Engine.allCases)
  func sets(_ engine: Engine) throws {
    let world = try Self.world(engine)
    let many = Set((0..<20).reversed().map { "colour \($0)" })
    let (answer, answers) = (Answer.words(many), [Answer.words(many)])
    try world.check(#Predicate<Sheet> { $0.colours == many }, inMemory: true, matches: 1)
    try world.check(#Predicate<Sheet> { $0.colours == $0.otherColours }, inMemory: true, matches: 5)
    try world.check(#Predicate<Sheet> { $0.answer == answer }, inMemory: true, matches: 1)
    try world.check(#Predicate<Sheet> { answers.contains($0.answer) }, inMemory: true, matches: 1)
    try world.check(#Predicate<Sheet> { $0.answer == $0.otherAnswer }, inMemory: true, matches: 4)
  }

  @Test("texts in JSON are equal if they are canonically equivalent", arguments: Engine.allCases)
  func texts(_ engine: Engine) throws {
    let world = try Self.world(engine)
    let (words, answer, zero) = (["\u{E9}", "a"], Answer.text("\u{E9}"), Answer.number(0))
    try world.check(#Predicate<Sheet> { $0.words == words }, matches: 1)
    try world.check(#Predicate<Sheet> { $0.words == $0.otherWords }, matches: 5)
    try world.check(#Predicate<Sheet> { $0.answer == answer }, matches: 1)
    try world.check(#Predicate<Sheet> { $0.answer == zero }, inMemory: true, matches: 1)
  }
}
