import SwiftData
import Testing

/// When a new object that refers to an object of another context is inserted, its reference is replaced by a reference
/// to its own context's object for the same row.
@Suite("New objects that refer to objects of another context")
struct ReplacedMemberTests {
  @Test(
    "inserting the new object replaces these references, and keeps the lists of its other owners unchanged",
    arguments: Engine.allCases)
  func otherLists(_ engine: Engine) throws {
    let store = try TestStore(engine, [Voucher.self, VoucherBook.self, Issuer.self])
    let (voucher, book, issuer) = (Voucher("v"), VoucherBook("b"), Issuer("bank"))
    voucher.issuer = issuer
    voucher.book = book
    #expect(book.vouchers.count == 1)
    let other = store.context()
    other.insert(issuer)
    try other.save()
    let context = store.context()
    context.insert(voucher)
    #expect(book.vouchers.count == 1)
    #expect(voucher.issuer !== issuer && voucher.issuer?.modelContext === context)
    try context.save()
    let stored = try #require(try store.context().fetch(FetchDescriptor<VoucherBook>()).first)
    #expect(stored.vouchers.map { $0.issuer?.name } == ["bank"])
    #expect(issuer.modelContext === other)
  }
}

@Model
final class Voucher {
  var name: String
  @Relationship(inverse: nil) var issuer: Issuer?
  var book: VoucherBook?

  init(_ name: String) { self.name = name }
}

@Model
final class VoucherBook {
  var name: String
  @Relationship(inverse: \Voucher.book) var vouchers: [Voucher] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Issuer {
  var name: String

  init(_ name: String) { self.name = name }
}
