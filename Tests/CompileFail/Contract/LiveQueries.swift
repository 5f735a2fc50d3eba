import Foundation
import SwiftData

// MARK: 18 Live queries

func observers(_ observer: ResultsObserver<Trip, String>, _ path: IndexPath, _ trip: Trip) {
  let _: any Observable = observer  // use: ResultsObserver: Observable
  let _: ModelContext = observer.modelContext  // use: ResultsObserver.modelContext
  observer.results = observer.results as FetchResultsCollection<Trip>  // use: ResultsObserver.results
  let _: FetchDescriptor<Trip> = observer.fetchDescriptor  // use: ResultsObserver.fetchDescriptor
  let _: Predicate<Trip>? = observer.filterBy  // use: ResultsObserver.filterBy
  let _ = observer.sortBy  // use: ResultsObserver.sortBy
  let _ = observer.sectionBy  // use: ResultsObserver.sectionBy
  let _: SectionedResults<Trip, String>? = observer.sections  // use: ResultsObserver.sections
  let _: Trip? = observer.element(at: path)  // use: ResultsObserver.element(at:)
  let _: IndexPath? = observer.indexPath(for: trip)  // use: ResultsObserver.indexPath(for:)
}

// use: ResultsObserver
typealias Plain = ResultsObserver<Trip, Never>
typealias Sectioned = ResultsObserver<Trip, String>

// use: ResultsObserver.init(fetchDescriptor:modelContext:isolation:)
@MainActor func descriptor(_ descriptor: FetchDescriptor<Trip>, _ context: ModelContext) throws -> Plain {
  try ResultsObserver(fetchDescriptor: descriptor, modelContext: context, isolation: #isolation)
}

// use: ResultsObserver.init(fetchDescriptor:modelContainer:isolation:)
@MainActor func descriptor(_ descriptor: FetchDescriptor<Trip>, _ container: ModelContainer) throws -> Plain {
  try ResultsObserver(fetchDescriptor: descriptor, modelContainer: container, isolation: #isolation)
}

// use: ResultsObserver.init(filterBy:sortBy:modelContext:isolation:)
@MainActor func filter(_ filter: Predicate<Trip>, _ context: ModelContext) throws -> Plain {
  try ResultsObserver(filterBy: filter, sortBy: [], modelContext: context, isolation: #isolation)
}

// use: ResultsObserver.init(filterBy:sortBy:modelContainer:isolation:)
@MainActor func filter(_ filter: Predicate<Trip>, _ container: ModelContainer) throws -> Plain {
  try ResultsObserver(filterBy: filter, sortBy: [], modelContainer: container, isolation: #isolation)
}

// use: ResultsObserver.init(fetchDescriptor:sectionBy:modelContext:isolation:) by a String
@MainActor func sections(
  _ descriptor: FetchDescriptor<Trip>, _ keyPath: KeyPath<Trip, String>, _ context: ModelContext
) throws -> Sectioned {
  try ResultsObserver(fetchDescriptor: descriptor, sectionBy: keyPath, modelContext: context, isolation: #isolation)
}

// use: ResultsObserver.init(fetchDescriptor:sectionBy:modelContext:isolation:) by an optional String
@MainActor func sections(
  _ descriptor: FetchDescriptor<Trip>, _ keyPath: KeyPath<Trip, String?>, _ context: ModelContext
) throws -> Sectioned {
  try ResultsObserver(fetchDescriptor: descriptor, sectionBy: keyPath, modelContext: context, isolation: #isolation)
}

// use: ResultsObserver.init(fetchDescriptor:sectionBy:modelContainer:isolation:) by a String
@MainActor func sections(
  _ descriptor: FetchDescriptor<Trip>, _ keyPath: KeyPath<Trip, String>, _ container: ModelContainer
) throws -> Sectioned {
  try ResultsObserver(fetchDescriptor: descriptor, sectionBy: keyPath, modelContainer: container, isolation: #isolation)
}

// use: ResultsObserver.init(fetchDescriptor:sectionBy:modelContainer:isolation:) by an optional String
@MainActor func sections(
  _ descriptor: FetchDescriptor<Trip>, _ keyPath: KeyPath<Trip, String?>, _ container: ModelContainer
) throws -> Sectioned {
  try ResultsObserver(fetchDescriptor: descriptor, sectionBy: keyPath, modelContainer: container, isolation: #isolation)
}

// use: ResultsObserver.init(filterBy:sortBy:sectionBy:modelContext:isolation:) by a String
@MainActor func sections(_ keyPath: KeyPath<Trip, String>, _ context: ModelContext) throws -> Sectioned {
  try ResultsObserver(filterBy: nil, sortBy: nil, sectionBy: keyPath, modelContext: context, isolation: #isolation)
}

// use: ResultsObserver.init(filterBy:sortBy:sectionBy:modelContext:isolation:) by an optional String
@MainActor func sections(_ keyPath: KeyPath<Trip, String?>, _ context: ModelContext) throws -> Sectioned {
  try ResultsObserver(filterBy: nil, sortBy: nil, sectionBy: keyPath, modelContext: context, isolation: #isolation)
}

// use: ResultsObserver.init(filterBy:sortBy:sectionBy:modelContainer:isolation:) by a String
@MainActor func sections(_ keyPath: KeyPath<Trip, String>, _ container: ModelContainer) throws -> Sectioned {
  try ResultsObserver(filterBy: nil, sortBy: nil, sectionBy: keyPath, modelContainer: container, isolation: #isolation)
}

// use: ResultsObserver.init(filterBy:sortBy:sectionBy:modelContainer:isolation:) by an optional String
@MainActor func sections(_ keyPath: KeyPath<Trip, String?>, _ container: ModelContainer) throws -> Sectioned {
  try ResultsObserver(filterBy: nil, sortBy: nil, sectionBy: keyPath, modelContainer: container, isolation: #isolation)
}

func sections(_ results: SectionedResults<Trip, String>, _ section: ResultsSection<Trip, String>) {
  // use: SectionedResults: RandomAccessCollection
  let _: any RandomAccessCollection = results as SectionedResults<Trip, String>
  let _: [String] = results.sectionTitles  // use: SectionedResults.sectionTitles
  let _: ResultsSection<Trip, String>? = results[sectionTitle: "a"]  // use: SectionedResults.subscript(sectionTitle:)
  let _: Int? = results.index(ofSectionTitled: "a")  // use: SectionedResults.index(ofSectionTitled:)
  // use: ResultsSection: RandomAccessCollection
  let _: any RandomAccessCollection = section as ResultsSection<Trip, String>
  let _: any Identifiable.Type = ResultsSection<Trip, String>.self  // use: ResultsSection: Identifiable
  let _: String = section.title  // use: ResultsSection.title
  let _: ResultsSection<Trip, String>.ID = section.id  // use: ResultsSection.id
}

// MARK: 18.1 HistoryObserver

func observers(_ observer: HistoryObserver) {
  let _: any Observable = observer as HistoryObserver  // use: HistoryObserver: Observable
  let _: any Sendable.Type = HistoryObserver.self  // use: HistoryObserver: Sendable
  let _: ModelContainer = observer.modelContainer  // use: HistoryObserver.modelContainer
  let _ = observer.eventCounter  // use: HistoryObserver.eventCounter
  let _ = observer.observedModels  // use: HistoryObserver.observedModels
  let _: Set<String> = observer.authors  // use: HistoryObserver.authors
}

// use: HistoryObserver.init(historyTokens:observedModels:authors:modelContainer:isolation:)
@MainActor func observer(_ tokens: [String: any HistoryToken], _ container: ModelContainer) throws -> HistoryObserver {
  try HistoryObserver(
    historyTokens: tokens, observedModels: [Trip.self], authors: ["sync"], modelContainer: container,
    isolation: #isolation)
}
