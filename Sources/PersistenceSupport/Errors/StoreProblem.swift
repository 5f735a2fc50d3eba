extension _PersistenceRuntime {
  /// Something in a store that is not as its schema has it. Ours.
  ///
  /// Other programs, failing disks and files that were copied alone cause them. ``ModelContainer/check(repairing:progress:)``
  /// finds them.
  public struct StoreProblem: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The database finds its own file damaged.
      case damagedFile
      /// A table, a column or a reference between tables is missing, or is defined in another way than the schema has it.
      case definition
      /// An index or a trigger is missing, is another one, or is not in step with its table.
      case index
      /// A spatial index is missing, damaged, or not in step with its table.
      case spatialIndex
      /// A row has no value where it must have one.
      case missingValue
      /// A value is of another type than its property, or is in no form that the property has.
      case wrongValue
      /// A value is in another form than the one in which the store compares values, so that queries may not find it.
      case unusualForm
      /// A raw value of an enum is that of none of its cases.
      case unknownCase
      /// A row is of a class that the schema does not have.
      case unknownClass
      /// An encrypted value cannot be decrypted.
      case unreadableCiphertext
      /// A reference leads to no row, or to one of another class.
      case danglingReference
      /// Several rows refer to a row that only one may refer to.
      case sharedReference
      /// A place in a list is no number, or is taken twice.
      case listPosition
      /// A pair of a relationship lacks one of its rows, or is there twice.
      case pair
      /// A file with a large value is missing, or has another size than the value.
      case missingFile
      /// A file beside the store belongs to no row.
      case leftoverFile
      /// The original spelling of a value belongs to no row, or to a value that has changed since.
      case leftoverOriginal
      /// The counter of keys, pairs or files is behind those in use.
      case counter
    }

    /// What has become of a problem.
    public enum Repair: String, Sendable, Hashable, CaseIterable {
      /// It was mended.
      case done
      /// It has one right answer: a check with `repairing: true` mends it.
      case possible
      /// It has no single right answer, or its data is lost.
      case impossible
    }

    /// What is wrong.
    public let kind: Kind
    /// The store, as its file's path.
    public let store: String
    /// The entity; nil where the problem concerns none.
    public let entity: String?
    /// The table, index or folder.
    public let table: String?
    /// The primary key of the row; nil where the problem concerns no single row.
    public let key: Int64?
    /// The column.
    public let column: String?
    /// The stored value in words, shortened.
    public let value: String?
    /// The number of problems of this kind that this one stands for: 1, except for the last one of a column with very many.
    public let count: Int
    /// What is wrong, in words.
    public let explanation: String
    /// What to do, in words; what was done, once it is mended.
    public let advice: String
    /// Whether it was mended, or can be.
    public let repair: Repair

    package init(
      _ kind: Kind, store: String, entity: String? = nil, table: String? = nil, key: Int64? = nil,
      column: String? = nil,
      value: String? = nil, count: Int = 1, _ explanation: String, advice: String, repair: Repair
    ) {
      self.kind = kind
      self.store = store
      self.entity = entity
      self.table = table
      self.key = key
      self.column = column
      self.value = value
      self.count = count
      self.explanation = explanation
      self.advice = advice
      self.repair = repair
    }

    /// Where the problem is, what is wrong, and what to do, in one line.
    public var description: String {
      let place = [table, column].compactMap { $0 }.joined(separator: ".")
      let row = key.map { " of row \($0)" } ?? ""
      return [place + row, explanation, advice].filter { !$0.isEmpty }.joined(separator: ": ")
    }
  }
}

package typealias StoreProblem = _PersistenceRuntime.StoreProblem
