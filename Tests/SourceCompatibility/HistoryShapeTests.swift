import ConformanceSupport
import Foundation
import SwiftData
import Testing

@Model
final class Parcel {
  @Attribute(.unique) var code: String
  var isSent = false
  @Relationship(deleteRule: .cascade, inverse: \Label.parcel) var label: Label?

  init(code: String) { self.code = code }
}

@Model
final class Label {
  @Attribute(.preserveValueOnDeletion) var text: String
  var parcel: Parcel?

  init(text: String) { self.text = text }
}

/// Processes the changes that one author has saved, as programs with a widget or an extension do.
@ModelActor
private actor Mailroom {
  private var tokenData: Data?

  /// Returns the author's changes since the last call.
  func work(author: String) -> (parcels: Set<String>, removed: [String]) {
    var token: DefaultHistoryToken?
    if let tokenData { token = try? JSONDecoder().decode(DefaultHistoryToken.self, from: tokenData) }
    let transactions = findTransactions(after: token, author: author)
    let (parcels, removed, last) = findChanges(in: transactions)
    if let last { tokenData = try? JSONEncoder().encode(last) }
    return (parcels, removed)
  }

  private func findTransactions(after token: DefaultHistoryToken?, author: String) -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token {
      descriptor.predicate = #Predicate { transaction in
        (transaction.token > token) && (transaction.author == author)
      }
    }
    var transactions: [DefaultHistoryTransaction] = []
    do {
      transactions = try modelContext.fetchHistory(descriptor)
    } catch SwiftDataError.historyTokenExpired {
      tokenData = nil
    } catch {
      Issue.record(error)
    }
    return transactions
  }

  private func findChanges(
    in transactions: [DefaultHistoryTransaction]
  ) -> (Set<String>, [String], DefaultHistoryToken?) {
    var parcels: Set<String> = []
    var removed: [String] = []
    for transaction in transactions {
      for change in transaction.changes {
        let modelID = change.changedPersistentIdentifier
        let descriptor = FetchDescriptor<Parcel>(
          predicate: #Predicate { parcel in parcel.label?.persistentModelID == modelID })
        let parcel = try? modelContext.fetch(descriptor).first
        switch change {
        case .insert(_ as DefaultHistoryInsert<Label>):
          if let parcel { parcels.insert(parcel.code) }
        case .update(let update as DefaultHistoryUpdate<Label>):
          if let parcel, update.updatedAttributes.contains(\.text) { parcels.insert(parcel.code) }
        case .delete(let deletion as DefaultHistoryDelete<Label>):
          if let text = deletion.tombstone[\.text] as? String { removed.append(text) }
        default:
          break
        }
      }
    }
    return (parcels, removed, transactions.last?.token)
  }

  func forget() throws {
    guard let tokenData else { return }
    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: tokenData)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.predicate = #Predicate { $0.token < token }
    try modelContext.deleteHistory(descriptor)
  }
}

@Suite("History in typical programs")
struct HistoryShapeTests {
  @Test("an actor processes the history of an author from token to token", arguments: Engine.allCases)
  func following(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Parcel.self, Label.self], history: .standard)
    let mailroom = Mailroom(modelContainer: store.container)
    let context = store.context()
    context.author = "app"
    let parcel = Parcel(code: "A")
    parcel.label = Label(text: "Oslo")
    context.insert(parcel)
    try context.save()
    var found = await mailroom.work(author: "app")
    #expect(found.parcels == ["A"] && found.removed.isEmpty)
    found = await mailroom.work(author: "app")
    #expect(found.parcels.isEmpty)
    parcel.label?.text = "Rome"
    try context.save()
    parcel.isSent = true
    try context.save()
    found = await mailroom.work(author: "app")
    #expect(found.parcels == ["A"])
    let other = store.context()
    other.author = "server"
    try other.fetch(FetchDescriptor<Label>()).first?.text = "Bern"
    try other.save()
    found = await mailroom.work(author: "app")
    #expect(found.parcels.isEmpty)
    try await mailroom.forget()
    context.delete(parcel)
    try context.save()
    found = await mailroom.work(author: "app")
    #expect(found.removed == ["Bern"])
  }
}

/// The view model of a screen. Programs without `@Query` in their views are written in this way.
@MainActor
private final class ParcelList {
  private let parcels: ResultsObserver<Parcel, Never>
  private let history: HistoryObserver
  var search = "" {
    didSet {
      let search = search
      parcels.filterBy = search.isEmpty ? nil : #Predicate { $0.code.contains(search) }
    }
  }

  init(modelContainer: ModelContainer) throws {
    parcels = try ResultsObserver(
      filterBy: nil, sortBy: [SortDescriptor(\.code)], modelContext: modelContainer.mainContext)
    history = try HistoryObserver(observedModels: [Parcel.self], modelContainer: modelContainer)
  }

  var codes: [String] { parcels.results.map(\.code) }
  var events: Int { history.eventCounter }
}

@Suite("Observers in typical programs", .serialized)
struct ObserverShapeTests {
  @MainActor
  @Test("a view model filters results, and is notified of history", arguments: Engine.allCases)
  func screen(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Parcel.self, Label.self], history: .standard)
    let list = try ParcelList(modelContainer: store.container)
    #expect(list.codes.isEmpty && list.events == 0)
    let context = store.context()
    for code in ["A1", "B1", "A2"] { context.insert(Parcel(code: code)) }
    try context.save()
    #expect(await eventually { list.codes == ["A1", "A2", "B1"] && list.events == 1 })
    list.search = "A"
    #expect(list.codes == ["A1", "A2"])
  }
}
