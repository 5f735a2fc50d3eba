import Foundation
import SwiftData

// MARK: 8 History

func transactions<T: HistoryTransaction>(_ transaction: T) {
  let _: any HistoryTransaction = transaction  // use: HistoryTransaction
  let _: any Hashable.Type = T.self  // use: HistoryTransaction: Hashable
  let _: any Identifiable.Type = T.self  // use: HistoryTransaction: Identifiable
  let _: any Sendable.Type = T.self  // use: HistoryTransaction: Sendable
  let _: any Comparable.Type = T.TokenType.self  // use: HistoryTransaction.TokenType
  let _: any Comparable.Type = T.TransactionIdentifier.self  // use: HistoryTransaction.TransactionIdentifier
  let _: Date = transaction.timestamp  // use: HistoryTransaction.timestamp
  let _: [HistoryChange] = transaction.changes  // use: HistoryTransaction.changes
  let _: T.TokenType = transaction.token  // use: HistoryTransaction.token
  let _: T.TransactionIdentifier = transaction.transactionIdentifier  // use: HistoryTransaction.transactionIdentifier
  let _: String = transaction.storeIdentifier  // use: HistoryTransaction.storeIdentifier
  let _: String? = transaction.author  // use: HistoryTransaction.author
}

func changes(_ change: HistoryChange) {
  let _: any Sendable.Type = HistoryChange.self  // use: HistoryChange: Sendable
  let _: PersistentIdentifier = change.changedPersistentIdentifier  // use: HistoryChange.changedPersistentIdentifier
  if case .insert(let value) = change { let _: any HistoryInsert = value }  // use: HistoryChange.insert(_:)
  if case .update(let value) = change { let _: any HistoryUpdate = value }  // use: HistoryChange.update(_:)
  if case .delete(let value) = change { let _: any HistoryDelete = value }  // use: HistoryChange.delete(_:)
}

func inserts<I: HistoryInsert>(_ insert: I) {
  let _: any HistoryInsert<I.Model> = insert  // use: HistoryInsert
  let _: any Sendable.Type = I.self  // use: HistoryInsert: Sendable
  let _: any PersistentModel.Type = I.Model.self  // use: HistoryInsert.Model
  let _: I.TransactionIdentifier = insert.transactionIdentifier  // use: HistoryInsert.transactionIdentifier
  let _: any Comparable.Type = I.TransactionIdentifier.self  // use: HistoryInsert.TransactionIdentifier
  let _: I.ChangeIdentifier = insert.changeIdentifier  // use: HistoryInsert.changeIdentifier
  let _: any Comparable.Type = I.ChangeIdentifier.self  // use: HistoryInsert.ChangeIdentifier
  let _: PersistentIdentifier = insert.changedPersistentIdentifier  // use: HistoryInsert.changedPersistentIdentifier
}

func updates<U: HistoryUpdate>(_ update: U) {
  let _: any HistoryUpdate<U.Model> = update  // use: HistoryUpdate
  let _: any Sendable.Type = U.self  // use: HistoryUpdate: Sendable
  let _: any PersistentModel.Type = U.Model.self  // use: HistoryUpdate.Model
  let _: any Comparable.Type = U.TransactionIdentifier.self  // use: HistoryUpdate.TransactionIdentifier
  let _: any Comparable.Type = U.ChangeIdentifier.self  // use: HistoryUpdate.ChangeIdentifier
  let _: U.TransactionIdentifier = update.transactionIdentifier  // use: HistoryUpdate.transactionIdentifier
  let _: U.ChangeIdentifier = update.changeIdentifier  // use: HistoryUpdate.changeIdentifier
  let _: PersistentIdentifier = update.changedPersistentIdentifier  // use: HistoryUpdate.changedPersistentIdentifier
  let _: [any PartialKeyPath<U.Model> & Sendable] = update.updatedAttributes  // use: HistoryUpdate.updatedAttributes
  let _: [U.PropertyUpdate] = update.updatedAttributes  // use: HistoryUpdate.PropertyUpdate
}

func deletions<D: HistoryDelete>(_ delete: D) {
  let _: any HistoryDelete<D.Model> = delete  // use: HistoryDelete
  let _: any Sendable.Type = D.self  // use: HistoryDelete: Sendable
  let _: any PersistentModel.Type = D.Model.self  // use: HistoryDelete.Model
  let _: any Comparable.Type = D.TransactionIdentifier.self  // use: HistoryDelete.TransactionIdentifier
  let _: any Comparable.Type = D.ChangeIdentifier.self  // use: HistoryDelete.ChangeIdentifier
  let _: D.TransactionIdentifier = delete.transactionIdentifier  // use: HistoryDelete.transactionIdentifier
  let _: D.ChangeIdentifier = delete.changeIdentifier  // use: HistoryDelete.changeIdentifier
  let _: PersistentIdentifier = delete.changedPersistentIdentifier  // use: HistoryDelete.changedPersistentIdentifier
  let _: HistoryTombstone<D.Model> = delete.tombstone  // use: HistoryDelete.tombstone
}

func tokens<T: HistoryToken>(_ token: T) {
  let _: any HistoryToken = token  // use: HistoryToken
  let _: any Comparable.Type = T.self  // use: HistoryToken: Comparable
  let _: any Decodable.Type = T.self  // use: HistoryToken: Decodable
  let _: any Encodable.Type = T.self  // use: HistoryToken: Encodable
  let _: any Hashable.Type = T.self  // use: HistoryToken: Hashable
  let _: any Identifiable.Type = T.self  // use: HistoryToken: Identifiable
  let _: any Sendable.Type = T.self  // use: HistoryToken: Sendable
  let _: T.TokenType? = token.tokenValue  // use: HistoryToken.tokenValue
  let _: any Encodable.Type = T.TokenType.self  // use: HistoryToken.TokenType
  let _: String = token.storeIdentifier  // use: HistoryToken.storeIdentifier
}

func tombstones(_ tombstone: HistoryTombstone<Trip>, _ iterator: inout HistoryTombstone<Trip>.Iterator) {
  let _: any Sequence = tombstone  // use: HistoryTombstone: Sequence
  let _: any Sendable.Type = HistoryTombstone<Trip>.self  // use: HistoryTombstone: Sendable
  let _: (any Sendable)? = tombstone[\.name]  // use: HistoryTombstone.subscript(_:)
  let _: HistoryTombstone<Trip>.Iterator = tombstone.makeIterator()  // use: HistoryTombstone.makeIterator()
  // use: HistoryTombstone.Iterator: IteratorProtocol
  let _: any IteratorProtocol.Type = HistoryTombstone<Trip>.Iterator.self
  let _: Any? = iterator.next()  // use: HistoryTombstone.Iterator.next()
}

func descriptors(
  _ descriptor: inout HistoryDescriptor<DefaultHistoryTransaction>, _ token: DefaultHistoryToken
) {
  descriptor.predicate = #Predicate { $0.token > token }  // use: HistoryDescriptor.predicate
  descriptor.fetchLimit = 3 as UInt64  // use: HistoryDescriptor.fetchLimit
  descriptor.sortBy = [SortDescriptor<DefaultHistoryTransaction>]()  // use: HistoryDescriptor.sortBy
}

// use: HistoryDescriptor.init(predicate:)
func descriptor(_ predicate: Predicate<DefaultHistoryTransaction>) -> HistoryDescriptor<DefaultHistoryTransaction> {
  HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate)
}

// use: HistoryDescriptor.init(predicate:sortBy:)
func descriptor(_ order: SortDescriptor<DefaultHistoryTransaction>) -> HistoryDescriptor<DefaultHistoryTransaction> {
  HistoryDescriptor<DefaultHistoryTransaction>(predicate: nil, sortBy: [order])
}

// use: ModelContext.fetchHistory(_:)
func fetch<T: HistoryTransaction>(_ context: ModelContext, _ descriptor: HistoryDescriptor<T>) throws -> [T] {
  try context.fetchHistory(descriptor)
}

// use: ModelContext.deleteHistory(_:)
func delete<T: HistoryTransaction>(_ context: ModelContext, _ descriptor: HistoryDescriptor<T>) throws {
  try context.deleteHistory(descriptor)
}

// use: HistoryProviding
// use: HistoryProviding.HistoryType
// use: HistoryProviding.historyType
// use: HistoryProviding.fetchHistory(_:)
// use: HistoryProviding.deleteHistory(_:)
final class OwnHistory: HistoryProviding {
  typealias HistoryType = DefaultHistoryTransaction
  static var historyType: HistoryType.Type { HistoryType.self }
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType] { [] }
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws {}
}

// MARK: 8.1 The default history

func transactions(_ transaction: DefaultHistoryTransaction) {
  let _: any HistoryTransaction = transaction  // use: DefaultHistoryTransaction: HistoryTransaction
  // use: DefaultHistoryTransaction.TransactionIdentifier
  let _: Int64.Type = DefaultHistoryTransaction.TransactionIdentifier.self
  // use: DefaultHistoryTransaction.TokenType
  let _: DefaultHistoryToken.Type = DefaultHistoryTransaction.TokenType.self
  let _: Int64.Type = DefaultHistoryTransaction.ID.self  // use: DefaultHistoryTransaction.ID
  let _: Int64 = transaction.id  // use: DefaultHistoryTransaction.id
  let _: Date = transaction.timestamp  // use: DefaultHistoryTransaction.timestamp
  let _: [HistoryChange] = transaction.changes  // use: DefaultHistoryTransaction.changes
  let _: DefaultHistoryToken = transaction.token  // use: DefaultHistoryTransaction.token
  let _: Int64 = transaction.transactionIdentifier  // use: DefaultHistoryTransaction.transactionIdentifier
  let _: String = transaction.storeIdentifier  // use: DefaultHistoryTransaction.storeIdentifier
  let _: String = transaction.bundleIdentifier  // use: DefaultHistoryTransaction.bundleIdentifier
  let _: String = transaction.processIdentifier  // use: DefaultHistoryTransaction.processIdentifier
  let _: String? = transaction.author  // use: DefaultHistoryTransaction.author
}

func inserts(_ insert: DefaultHistoryInsert<Trip>, _ hasher: inout Hasher) {
  let _: any HistoryInsert<Trip> = insert  // use: DefaultHistoryInsert: HistoryInsert
  let _: Int64 = insert.changeIdentifier  // use: DefaultHistoryInsert.changeIdentifier
  let _: Int64 = insert.transactionIdentifier  // use: DefaultHistoryInsert.transactionIdentifier
  // use: DefaultHistoryInsert.changedPersistentIdentifier
  let _: PersistentIdentifier = insert.changedPersistentIdentifier
  let _: Bool = insert == insert  // use: DefaultHistoryInsert.==(_:_:)
  insert.hash(into: &hasher)  // use: DefaultHistoryInsert.hash(into:)
}

func updates(_ update: DefaultHistoryUpdate<Trip>, _ hasher: inout Hasher) {
  let _: any HistoryUpdate<Trip> = update  // use: DefaultHistoryUpdate: HistoryUpdate
  let _: Int64 = update.changeIdentifier  // use: DefaultHistoryUpdate.changeIdentifier
  let _: Int64 = update.transactionIdentifier  // use: DefaultHistoryUpdate.transactionIdentifier
  // use: DefaultHistoryUpdate.changedPersistentIdentifier
  let _: PersistentIdentifier = update.changedPersistentIdentifier
  // use: DefaultHistoryUpdate.updatedAttributes
  let _: [any PartialKeyPath<Trip> & Sendable] = update.updatedAttributes
  // use: DefaultHistoryUpdate.PropertyUpdate
  let _: [DefaultHistoryUpdate<Trip>.PropertyUpdate] = update.updatedAttributes
  let _: Bool = update == update  // use: DefaultHistoryUpdate.==(_:_:)
  update.hash(into: &hasher)  // use: DefaultHistoryUpdate.hash(into:)
}

func deletions(_ delete: DefaultHistoryDelete<Trip>, _ hasher: inout Hasher) {
  let _: any HistoryDelete<Trip> = delete  // use: DefaultHistoryDelete: HistoryDelete
  let _: Int64 = delete.changeIdentifier  // use: DefaultHistoryDelete.changeIdentifier
  let _: Int64 = delete.transactionIdentifier  // use: DefaultHistoryDelete.transactionIdentifier
  // use: DefaultHistoryDelete.changedPersistentIdentifier
  let _: PersistentIdentifier = delete.changedPersistentIdentifier
  let _: HistoryTombstone<Trip> = delete.tombstone  // use: DefaultHistoryDelete.tombstone
  let _: Bool = delete == delete  // use: DefaultHistoryDelete.==(_:_:)
  delete.hash(into: &hasher)  // use: DefaultHistoryDelete.hash(into:)
}

func tokens(_ token: DefaultHistoryToken, _ decoder: any Decoder, _ encoder: any Encoder) throws {
  let _: any HistoryToken = token  // use: DefaultHistoryToken: HistoryToken
  let _: [String: Int64].Type = DefaultHistoryToken.TokenType.self  // use: DefaultHistoryToken.TokenType
  let _: Int.Type = DefaultHistoryToken.ID.self  // use: DefaultHistoryToken.ID
  let _: Int = token.id  // use: DefaultHistoryToken.id
  let _: [String: Int64]? = token.tokenValue  // use: DefaultHistoryToken.tokenValue
  let _: DefaultHistoryToken = try DefaultHistoryToken(from: decoder)  // use: DefaultHistoryToken.init(from:)
  try token.encode(to: encoder)  // use: DefaultHistoryToken.encode(to:)
  let _: Bool = token < token  // use: DefaultHistoryToken.<(_:_:)
  let _: Bool = token == token  // use: DefaultHistoryToken.==(_:_:)
}
