import PersistenceQueries
import PersistenceRuntime

/// The results of a fetch in sections. Apple's type.
///
/// The sections are in the order in which their titles first appear in the results. The collection is not Sendable,
/// because it contains models, which may only be used on the context's thread or actor.
///
/// ```swift
/// let observer = try ResultsObserver<Book, String>(sectionBy: \.genre, modelContext: context)
/// for section in observer.sections ?? .init() { print(section.title, section.count) }
/// ```
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection {
  /// The position of a section, from 0.
  public typealias Index = Int
  /// The positions of all sections.
  public typealias Indices = Range<Int>

  private let sections: [ResultsSection<Element, SectionTitle>]
  private let indexes: [SectionTitle: Int]

  /// Creates an empty collection. Ours.
  public init() { self.init([]) }

  init(_ sections: [ResultsSection<Element, SectionTitle>]) {
    self.sections = sections
    indexes = Dictionary(sections.enumerated().map { ($1.title, $0) }) { first, _ in first }
  }

  /// Always zero.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { sections.count }

  /// The section at a position.
  ///
  /// - Parameter position: The position.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }

  /// The titles of the sections, in order. Apple's.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }

  /// The section with a title; nil if there is none. Apple's. The look-up takes constant time.
  ///
  /// - Parameter title: The title.
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    indexes[title].map { sections[$0] }
  }

  /// The position of the section with a title; nil if there is none. Apple's.
  ///
  /// - Parameter title: The title.
  /// - Returns: The position.
  public func index(ofSectionTitled title: SectionTitle) -> Int? { indexes[title] }
}

/// The models of a section: all results that have the same title, in the order of the results. Apple's type.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Identifiable {
  /// The position of a model, from 0.
  public typealias Index = Int
  /// The positions of all models.
  public typealias Indices = Range<Int>

  /// The value that the models of the section share.
  public let title: SectionTitle
  /// The positions of the models in the results.
  let positions: [Int]
  private let results: FetchResultsCollection<Element>

  init(_ title: SectionTitle, _ positions: [Int], of results: FetchResultsCollection<Element>) {
    self.title = title
    self.positions = positions
    self.results = results
  }

  /// The title. Apple's.
  public var id: SectionTitle { title }

  /// Always zero.
  public var startIndex: Int { 0 }
  /// The number of models.
  public var endIndex: Int { positions.count }

  /// The model at a position. If it has not been read yet, reads a batch of models.
  ///
  /// - Parameter position: The position.
  public subscript(position: Int) -> Element { results[positions[position]] }
}

/// The titles of the sections, and the positions of the results in each section.
struct SectionLayout<SectionTitle: Hashable>: Equatable {
  private(set) var titles: [SectionTitle] = []
  private(set) var positions: [[Int]] = []
  private var indexes: [SectionTitle: Int] = [:]

  /// Groups positions by title. Results with the same title form one section, even if they are not adjacent.
  init(_ titles: some Sequence<SectionTitle>) {
    for (position, title) in titles.enumerated() {
      if let index = indexes[title] {
        positions[index].append(position)
      } else {
        indexes[title] = self.titles.count
        self.titles.append(title)
        positions.append([position])
      }
    }
  }

  func sections<Element: PersistentModel>(
    of results: FetchResultsCollection<Element>
  ) -> SectionedResults<Element, SectionTitle> {
    SectionedResults(zip(titles, positions).map { ResultsSection($0, $1, of: results) })
  }
}
