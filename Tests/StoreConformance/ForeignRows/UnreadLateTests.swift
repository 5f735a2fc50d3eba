import SwiftData
import Testing

/// A model with 68 properties. The change mask has 64 bits, so the properties from `p63` on share the last bit, and a
/// save writes them together.
@Model final class LongForm {
  var p0: Int = 0
  var p1: Int = 1
  var p2: Int = 2
  var p3: Int = 3
  var p4: Int = 4
  var p5: Int = 5
  var p6: Int = 6
  var p7: Int = 7
  var p8: Int = 8
  var p9: Int = 9
  var p10: Int = 10
  var p11: Int = 11
  var p12: Int = 12
  var p13: Int = 13
  var p14: Int = 14
  var p15: Int = 15
  var p16: Int = 16
  var p17: Int = 17
  var p18: Int = 18
  var p19: Int = 19
  var p20: Int = 20
  var p21: Int = 21
  var p22: Int = 22
  var p23: Int = 23
  var p24: Int = 24
  var p25: Int = 25
  var p26: Int = 26
  var p27: Int = 27
  var p28: Int = 28
  var p29: Int = 29
  var p30: Int = 30
  var p31: Int = 31
  var p32: Int = 32
  var p33: Int = 33
  var p34: Int = 34
  var p35: Int = 35
  var p36: Int = 36
  var p37: Int = 37
  var p38: Int = 38
  var p39: Int = 39
  var p40: Int = 40
  var p41: Int = 41
  var p42: Int = 42
  var p43: Int = 43
  var p44: Int = 44
  var p45: Int = 45
  var p46: Int = 46
  var p47: Int = 47
  var p48: Int = 48
  var p49: Int = 49
  var p50: Int = 50
  var p51: Int = 51
  var p52: Int = 52
  var p53: Int = 53
  var p54: Int = 54
  var p55: Int = 55
  var p56: Int = 56
  var p57: Int = 57
  var p58: Int = 58
  var p59: Int = 59
  var p60: Int = 60
  var p61: Int = 61
  var p62: Int = 62
  var p63: Int = 63
  var p64: Int = 64
  var p65: Int = 65
  var p66: Int = 66
  var p67: Int = 67

  init() {}
}

@Suite("A stored value that cannot be read, in a property that shares its change bit with others")
struct UnreadLateTests {
  private func store(_ change: String) throws -> TestStore {
    let store = try TestStore(.file, [LongForm.self])
    let context = store.context()
    context.insert(LongForm())
    try context.save()
    try store.raw.run("UPDATE LongForm SET \(change)")
    return store
  }

  private func row(_ store: TestStore) throws -> [String?] {
    try store.raw.rows("SELECT p1, p64, p65, p66 FROM LongForm")[0]
  }

  @Test("saving a change of a property with the same bit throws, and setting the unread property repairs the row")
  func one() throws {
    let store = try store("p65 = 'many'")
    let context = store.context()
    let form = try #require(context.fetch(FetchDescriptor<LongForm>()).first)
    form.p1 = 10
    try context.save()
    #expect(try row(store) == ["10", "64", "many", "66"])
    form.p64 = 11
    let error = #expect(throws: SwiftDataError.corruptValue) { try context.save() }
    #expect(error?.explanation?.contains("p64 was not changed") == true && "\(error as Any)".contains("'many'"))
    #expect(try row(store) == ["10", "64", "many", "66"])
    form.p65 = 12
    form.p64 = 11
    try context.save()
    #expect(try row(store) == ["10", "11", "12", "66"])
  }

  @Test("after one of two unread values is set, saves throw until both are set")
  func two() throws {
    let store = try store("p65 = 'many', p66 = 'more'")
    let context = store.context()
    let form = try #require(context.fetch(FetchDescriptor<LongForm>()).first)
    form.p65 = 12
    for _ in 1...3 {
      let error = #expect(throws: SwiftDataError.corruptValue) { try context.save() }
      #expect(error?.explanation?.contains("p66 could not be read") == true, "\(error as Any)")
      #expect(try row(store) == ["1", "64", "many", "more"])
    }
    form.p66 = 13
    try context.save()
    #expect(try row(store) == ["1", "64", "12", "13"])
    #expect(context.unreadValues.isEmpty)
  }

  @Test("after a rollback of a new value for the unread property, properties with other bits can be saved")
  func rollback() throws {
    let store = try store("p65 = 'many', p66 = 'more'")
    let context = store.context()
    let form = try #require(context.fetch(FetchDescriptor<LongForm>()).first)
    form.p65 = 12
    context.rollback()
    form.p1 = 10
    try context.save()
    #expect(try row(store) == ["10", "64", "many", "more"])
    #expect(Set(context.unreadValues.compactMap(\.propertyName)) == ["p65", "p66"])
  }
}
