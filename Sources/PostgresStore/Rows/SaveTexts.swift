#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// A cache of the texts of the statements that a store's saves run repeatedly. Thread-safe.
  final class SaveTexts: Sendable {
    /// A statement on the rows of a table.
    enum Kind: Sendable, Hashable {
      /// Inserts one row, whose values are the parameters.
      case insertion(hasOriginals: Bool)
      case insertions(hasOriginals: Bool)
      case insertionsOfMissing(hasOriginals: Bool)
      case comparison(ComparisonForm)
      /// Compares and writes one row, as the only statement of the transaction.
      case comparisonAlone(ComparisonForm, SingleRowAdditions)
      case deletionOfOlder
      case deletionOfOlderRange
      case deletionOfReferring
      case keysOfReferring
      case lockForDeletion
      /// Fails if a row references one of the rows to be deleted. The number is the index of the foreign key.
      case refusal(Int)
    }

    private struct Key: Hashable {
      /// The index of the table in the store.
      let table: Int
      let kind: Kind
    }

    private let texts = Lock<[Key: StatementText]>([:])
    /// The maximum number of texts. There may be many: each combination of changed properties has its own text.
    private static let most = 4_096

    /// Returns the text of a statement, from the cache if possible.
    ///
    /// - Parameter write: Creates the text.
    func text(_ table: TableMapping, _ kind: Kind, write: () -> String) -> StatementText {
      let key = Key(table: table.index, kind: kind)
      return texts.withLock { texts in
        if let known = texts[key] { return known }
        let new = StatementText(write())
        if texts.count >= Self.most { texts = [:] }
        texts[key] = new
        return new
      }
    }
  }
#endif
