import SwiftData
import Testing

@Suite("Observation", .serialized)
struct ObservationTests {
  @Test("setting a property notifies its observers", arguments: Engine.allCases)
  func set(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let book = try store.save("Emma").book("Emma")
    let flag = changeFlag { _ = book.title }
    #expect(!flag.isRaised)
    book.title = "Persuasion"
    #expect(flag.isRaised)
  }

  @Test("setting a property of a model without a context notifies its observers")
  func withoutContext() {
    let book = Book("Emma")
    let flag = changeFlag { _ = book.title }
    book.title = "Persuasion"
    #expect(flag.isRaised)
  }

  @Test("setting a property of an inserted model notifies its observers", arguments: Engine.allCases)
  func inserted(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    let before = changeFlag { _ = book.title }
    context.insert(book)
    book.title = "Persuasion"
    #expect(before.isRaised)
    let after = changeFlag { _ = book.title }
    book.title = "Emma"
    #expect(after.isRaised)
  }

  @Test("setting a property notifies no observer of another object", arguments: Engine.allCases)
  func otherObject(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma", "Ulysses")
    let emma = try context.book("Emma")
    let ulysses = try context.book("Ulysses")
    let flag = changeFlag { _ = emma.title }
    ulysses.title = "Dubliners"
    #expect(!flag.isRaised)
    emma.title = "Persuasion"
    #expect(flag.isRaised)
  }

  @Test("reading a property notifies no observer", arguments: Engine.allCases)
  func read(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let book = try store.save("Emma").book("Emma")
    let flag = changeFlag { _ = book.title }
    _ = (book.title, book.pages)
    #expect(!flag.isRaised)
    book.title = "Persuasion"
    #expect(flag.isRaised)
  }

  @Test("each property notifies its own observers", arguments: Engine.allCases)
  func everyProperty(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let book = try store.save("Emma").book("Emma")
    let rating = changeFlag { _ = book.rating }
    book.rating = 5
    #expect(rating.isRaised)
    let genre = changeFlag { _ = book.genre }
    book.genre = .poetry
    #expect(genre.isRaised)
    let published = changeFlag { _ = book.published }
    book.published = .now
    #expect(published.isRaised)
    let subtitle = changeFlag { _ = book.subtitle }
    book.subtitle = nil
    book.subtitle = "x"
    #expect(subtitle.isRaised)
  }

  @Test("changing a property in place notifies its observers", arguments: Engine.allCases)
  func inPlace(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let book = try store.save("Emma").book("Emma")
    let title = changeFlag { _ = book.title }
    book.title.append("!")
    #expect(title.isRaised)
    let pages = changeFlag { _ = book.pages }
    book.pages += 1
    #expect(pages.isRaised)
  }

  @Test("setting a reference notifies its observers", arguments: Engine.allCases)
  func reference(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let loan = Loan(reader: "Ada")
    context.insert(loan)
    try context.save()
    let flag = changeFlag { _ = loan.book }
    loan.book = Book("Emma")
    #expect(flag.isRaised)
  }

  @Test("a rollback notifies observers of restored properties", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    book.title = "Persuasion"
    let flag = changeFlag { _ = book.title }
    context.rollback()
    #expect(flag.isRaised)
    #expect(book.title == "Emma")
  }

  @Test("a rolled-back transaction notifies observers of restored properties", arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    var flag: Flag?
    try? context.transaction {
      book.title = "Persuasion"
      flag = changeFlag { _ = book.title }
      throw Failure()
    }
    #expect(flag?.isRaised == true)
    #expect(book.title == "Emma")
  }

  @Test("a fetch that refreshes an object notifies its observers", arguments: Engine.allCases)
  func refresh(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = try store.save("Emma")
    let book = try here.book("Emma")
    let there = store.context()
    try there.book("Emma").pages = 7
    try there.save()
    let flag = changeFlag { _ = book.pages }
    #expect(try here.titles() == ["Emma"])
    #expect(flag.isRaised)
    #expect(book.pages == 7)
  }

  @Test("one observer can track many objects", arguments: Engine.allCases)
  func many(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("a", "b", "c")
    let books = try context.fetch(FetchDescriptor<Book>())
    for book in books {
      let flag = changeFlag { _ = books.map(\.pages) }
      book.pages += 1
      #expect(flag.isRaised)
    }
  }

  @Test("an observer is notified once, until it reads again", arguments: Engine.allCases)
  func again(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let book = try store.save("Emma").book("Emma")
    for number in 0..<10 {
      let flag = changeFlag { _ = book.pages }
      book.pages = number
      #expect(flag.isRaised, "round \(number)")
    }
  }
}
