extension _PersistenceRuntime {
  /// A deviation of a store from its schema. Ours.
  ///
  /// Causes are other programs, failing disks, and copies of the database file without the files that belong to it.
  /// ``ModelContainer/check(repairing:progress:)`` finds the problems.
  public struct StoreProblem: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The database reports that its own file is damaged.
      case damagedFile
      /// A table, a column or a reference between tables is missing, or its definition differs from the schema's.
      case definition
      /// An index or a trigger is missing, has another definition, or disagrees with its table.
      case index
      /// A spatial index is missing, damaged, or disagrees with its table.
      case spatialIndex
      /// A row has no value where it must have one.
      case missingValue
      /// A value has another type than its property, or a format that its property does not accept.
      case wrongValue
      /// A value has another format than the one in which the store compares values, so that queries may not find it.
      case unusualForm
      /// A raw value of an enum belongs to none of its cases.
      case unknownCase
      /// A row is of a class that the schema does not have.
      case unknownClass
      /// An encrypted value cannot be decrypted.
      case unreadableCiphertext
      /// A reference leads to a missing row, or to a row of another class.
      case danglingReference
      /// Several rows refer to a row or a file that only one row may refer to.
      case sharedReference
      /// A list position is not a number, or occurs twice.
      case listPosition
      /// A row of a junction table lacks one of its two rows, or occurs twice.
      case pair
      /// A file with a large value is missing, or has another size than the value.
      case missingFile
      /// A file beside the store belongs to no row.
      case leftoverFile
      /// The original spelling of a value belongs to no row, or to a value that has changed since then.
      case leftoverOriginal
      /// A counter of keys, junction rows or files is not above all numbers in use.
      case counter
    }

    /// Whether a problem was repaired, or can be.
    public enum Repair: String, Sendable, Hashable, CaseIterable {
      /// It was repaired.
      case done
      /// It has one correct repair, which a check with `repairing: true` makes.
      case possible
      /// It has no single correct repair, or its data is lost.
      case impossible
    }

    /// What is wrong.
    public let kind: Kind
    /// The store, as its file's path.
    public let store: String
    /// The entity; nil if the problem concerns no entity.
    public let entity: String?
    /// The table, index or folder.
    public let table: String?
    /// The primary key of the row; nil if the problem concerns no single row.
    public let key: Int64?
    /// The column.
    public let column: String?
    /// The stored value as text, shortened.
    public let value: String?
    /// The number of problems that this value represents: 1, except for the last value of a column with many problems.
    public let count: Int
    /// A description of the problem.
    public let explanation: String
    /// What to do, or what was done if the problem was repaired.
    public let advice: String
    /// Whether the problem was repaired, or can be.
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

    /// The location of the problem, its description, and what to do, in one line.
    public var description: String {
      let place = [table, column].compactMap { $0 }.joined(separator: ".")
      let row = key.map { " of row \($0)" } ?? ""
      return [place + row, explanation, advice].filter { !$0.isEmpty }.joined(separator: ": ")
    }
  }
}

package typealias StoreProblem = _PersistenceRuntime.StoreProblem
