import SwiftData
import Testing

@Suite("An observer that saves or rolls back the context before the observed change is applied", .serialized)
@MainActor
struct SavingObserverTests {
  private func letter(_ engine: Engine) throws -> (store: TestStore, context: ModelContext, letter: Letter) {
    let store = try TestStore(engine, letterModels)
    let context = store.context()
    let letter = Letter("a")
    context.insert(letter)
    context.insert(Stamp("stamp"))
    try context.save()
    return (store, context, letter)
  }

  private func stored(_ store: TestStore) throws -> Letter {
    try #require(try store.context().fetch(FetchDescriptor<Letter>()).first)
  }

  @Test("if the observer saves, the new value is pending afterwards", arguments: Engine.allCases)
  func value(_ engine: Engine) throws {
    let (store, context, letter) = try letter(engine)
    // The assignment calls the observer synchronously, before it stores the new value.
    nonisolated(unsafe) let saved = context
    withObservationTracking {
      _ = letter.text
    } onChange: {
      #expect(throws: Never.self) { try saved.save() }
    }
    letter.text = "b"
    #expect(letter.text == "b" && letter.hasChanges && context.hasChanges)
    try context.save()
    #expect(try stored(store).text == "b")
  }

  @Test("if the observer saves, a new enum value with a payload is pending afterwards", arguments: Engine.allCases)
  func payload(_ engine: Engine) throws {
    let store = try TestStore(engine, [Parcel.self])
    let context = store.context()
    let parcel = Parcel("parcel", content: .number(1))
    context.insert(parcel)
    try context.save()
    nonisolated(unsafe) let saved = context
    withObservationTracking {
      _ = parcel.content
    } onChange: {
      #expect(throws: Never.self) { try saved.save() }
    }
    parcel.content = .text("b")
    #expect(parcel.content == .text("b") && context.hasChanges)
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Parcel>()).map(\.content) == [.text("b")])
  }

  @Test("if the observer saves, a new required reference is pending afterwards", arguments: Engine.allCases)
  func requiredReference(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let first = Receipt("first")
    try store.keep(first, Receipt("second"), ReceiptLine("line", receipt: first))
    let context = store.context()
    let (line, second): (ReceiptLine, Receipt) = (try context.one("line"), try context.one("second"))
    nonisolated(unsafe) let saved = context
    withObservationTracking {
      _ = line.receipt
    } onChange: {
      #expect(throws: Never.self) { try saved.save() }
    }
    line.receipt = second
    try context.save()
    #expect(try store.context().one("line", ReceiptLine.self).receipt.name == "second")
  }

  @Test("if the observer saves, a new reference and a new list are pending afterwards", arguments: Engine.allCases)
  func relationships(_ engine: Engine) throws {
    let (store, context, letter) = try letter(engine)
    let stamp = try #require(try context.fetch(FetchDescriptor<Stamp>()).first)
    nonisolated(unsafe) let saved = context
    withObservationTracking {
      _ = letter.seal
    } onChange: {
      #expect(throws: Never.self) { try saved.save() }
    }
    letter.seal = stamp
    try context.save()
    #expect(try stored(store).seal?.text == "stamp")
    withObservationTracking {
      _ = letter.stamps
    } onChange: {
      #expect(throws: Never.self) { try saved.save() }
    }
    letter.stamps = [stamp]
    try context.save()
    #expect(try stored(store).stamps.map(\.text) == ["stamp"])
  }

  @Test(
    "if an observer of the other end of a relationship saves, the change is pending afterwards",
    arguments: Engine.allCases)
  func otherEnd(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(Student("student"), Course("course"), Driver("driver"), Car("car"))
    let context = store.context()
    let (student, course): (Student, Course) = (try context.one("student"), try context.one("course"))
    let (driver, car): (Driver, Car) = (try context.one("driver"), try context.one("car"))
    nonisolated(unsafe) let saved = context
    func saveBeforeChange(of read: () -> Void) {
      withObservationTracking(read) { #expect(throws: Never.self) { try saved.save() } }
    }
    saveBeforeChange { _ = course.students }
    student.courses = [course]
    try context.save()
    #expect(try store.context().one("course", Course.self).students.names == ["student"])
    saveBeforeChange { _ = student.courses }
    course.students = []
    try context.save()
    #expect(try store.context().one("course", Course.self).students.isEmpty)
    saveBeforeChange { _ = car.driver }
    driver.car = car
    try context.save()
    #expect(try store.context().one("car", Car.self).driver?.name == "driver")
    saveBeforeChange { _ = driver.car }
    car.driver = nil
    try context.save()
    #expect(try store.context().one("car", Car.self).driver == nil)
  }

  @Test(
    "an observer of the inverse property may save while a list of several members is being assigned",
    arguments: Engine.allCases)
  func members(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(Student("a"), Student("b"), Course("c"), Course("d"))
    let context = store.context()
    let (a, b): (Student, Student) = (try context.one("a"), try context.one("b"))
    let (c, d): (Course, Course) = (try context.one("c"), try context.one("d"))
    nonisolated(unsafe) let saved = context
    func saveBeforeChange(of read: () -> Void) {
      withObservationTracking(read) { #expect(throws: Never.self) { try saved.save() } }
    }
    saveBeforeChange { _ = a.courses }
    c.students = [a, b]
    try context.save()
    #expect(try store.context().one("c", Course.self).students.names == ["a", "b"])
    saveBeforeChange { _ = c.students }
    b.courses = []
    try context.save()
    #expect(try store.context().one("c", Course.self).students.names == ["a"])
    saveBeforeChange { _ = c.students }
    b.courses = [c, d]
    try context.save()
    #expect(try store.context().one("c", Course.self).students.names == ["a", "b"])
    #expect(try store.context().one("d", Course.self).students.names == ["b"])
  }

  @Test("if the observer rolls back, the new value is set afterwards", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let (store, context, letter) = try letter(engine)
    letter.count = 5
    nonisolated(unsafe) let reverted = context
    withObservationTracking {
      _ = letter.text
    } onChange: {
      reverted.rollback()
    }
    letter.text = "b"
    #expect(letter.text == "b" && letter.count == 0 && context.hasChanges)
    try context.save()
    #expect(try stored(store).text == "b")
  }
}
