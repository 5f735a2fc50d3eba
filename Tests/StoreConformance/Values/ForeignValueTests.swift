import SwiftData
import Testing

@Suite("A value of another program in a column of numbers or dates")
struct ForeignValueTests {
  private func store(_ models: [any PersistentModel.Type], _ model: any PersistentModel) throws -> TestStore {
    let store = try TestStore(.file, models)
    let context = store.context()
    context.insert(model)
    try context.save()
    return store
  }

  private func expectFailure<T: PersistentModel>(
    _ store: TestStore, _ type: T.Type, _ column: String, _ value: String
  ) throws {
    try store.tamper("UPDATE \(type) SET \(column) = \(value)")
    let context = store.context()
    let models = try context.fetch(FetchDescriptor<T>())
    #expect(models.count == 1 && context.unreadValues.map(\.propertyName) == [column])
    #expect(context.unreadValues.first?.error.explanation?.contains("\(type).\(column)") == true)
    withExtendedLifetime(models) {}
  }

  @Test(
    "the property of a value that is not a number is unread, and the value does not become 0",
    arguments: [
      "int8", "int16", "int32", "int64", "int", "uint8", "uint16", "uint32", "uint64", "uint", "double", "float",
      "bool", "optionalInt8", "optionalUInt64", "optionalDouble", "optionalBool",
    ])
  func numbers(_ column: String) throws {
    let store = try store([Numbers.self], Numbers(position: 1))
    for value in ["'many'", "''", "x'6162'"] { try expectFailure(store, Numbers.self, column, value) }
    try store.tamper("UPDATE Numbers SET \(column) = 0")
    #expect(try store.context().fetch(FetchDescriptor<Numbers>()).count == 1)
  }

  @Test(
    "the property of a fraction in a column of integers is unread",
    arguments: ["int", "uint64", "bool", "optionalInt64"])
  func fractions(_ column: String) throws {
    let store = try store([Numbers.self], Numbers(position: 1))
    for value in ["0.5", "-0.25"] { try expectFailure(store, Numbers.self, column, value) }
  }

  @Test(
    "the property of a text or a blob in a column of dates is unread",
    arguments: ["'2024-05-01 12:00:00'", "'noon'", "x'6162'"])
  func dates(_ value: String) throws {
    let store = try store([Scalars.self], Scalars(position: 1))
    try expectFailure(store, Scalars.self, "date", value)
    try store.tamper("UPDATE Scalars SET date = -9999.5")
    let stored = try #require(try store.context().fetch(FetchDescriptor<Scalars>()).first)
    #expect(stored.date == Date(timeIntervalSinceReferenceDate: -9999.5))
  }
}
