#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// The texts of the repeated statements of a store's saves. Each is written once. Thread-safe.
  final class SaveTexts: Sendable {
    /// A statement on the rows of a table.
    enum Kind: Sendable, Hashable {
      /// Inserts one row, with its values as parameters.
      case insertion(hasOriginals: Bool)
      case insertions(hasOriginals: Bool)
      case insertionsOfMissing(hasOriginals: Bool)
      case comparison(ComparisonForm)
      /// The same comparison for one row, as the only statement of the transaction.
      case comparisonAlone(ComparisonForm)
      case deletionOfOlder
      case deletionOfOlderRange
      case lockForDeletion
      /// Fails if a row references other rows, by the index of the reference.
      case refusal(Int)
    }

    private struct Key: Hashable {
      /// The index of the table in the store.
      let table: Int
      let kind: Kind
    }

    private let texts = Lock<[Key: StatementText]>([:])
    /// The maximum number of texts: each combination of changed properties has its own.
    private static let most = 4_096

    /// The text of a statement.
    ///
    /// - Parameter write: Writes it, the first time.
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
