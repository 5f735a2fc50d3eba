extension _PersistenceRuntime {
  /// A problem that a check of a store has found: the store differs from its schema. Ours.
  ///
  /// It may be caused by other programs, by a failing disk, or by a copy of the database file without the files that
  /// belong to it. ``ModelContainer/check(repairing:progress:)`` finds the problems.
  public struct StoreProblem: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The database reports that its own file is damaged.
      case damagedFile
      /// A table, a column or a foreign key is missing, or its definition differs from that of the schema.
      case definition
      /// An index or a trigger is missing, is defined differently, or disagrees with its table.
      case index
      /// A spatial index is missing, damaged, or disagrees with its table.
      case spatialIndex
      /// A required property of a row has no value.
      case missingValue
      /// The type of a value differs from the property's type, or the property does not accept the value's format.
      case wrongValue
      /// A value is not in the format in which the store compares values, so queries may not find it.
      case unusualForm
      /// The raw value of an enum property belongs to none of the enum's cases.
      case unknownCase
      /// The schema does not have the class of a row.
      case unknownClass
      /// An encrypted value cannot be decrypted.
      case unreadableCiphertext
      /// A row refers to a missing row, or to a row of another class.
      case danglingReference
      /// Several rows refer to a row or a file that only one row may refer to.
      case sharedReference
      /// A list position is not a number, or occurs twice.
      case listPosition
      /// A row of a junction table refers to a missing row, or occurs twice.
      case pair
      /// A file that contains a large value is missing, or its size differs from the size of the value.
      case missingFile
      /// No row refers to a file in the folder of the store's files.
      case leftoverFile
      /// The original spelling of a value is stored, but no row has the value, or the value has changed since.
      case leftoverOriginal
      /// A counter, from which keys, junction rows or files get their next number, is not above all numbers in use.
      case counter
    }

    /// Whether a problem was repaired, or can be repaired.
    public enum Repair: String, Sendable, Hashable, CaseIterable {
      /// The check has repaired the problem.
      case done
      /// The problem has one correct repair. A check with `repairing: true` makes it.
      case possible
      /// The problem has no single correct repair, or data is lost.
      case impossible
    }

    /// What is wrong.
    public let kind: Kind
    /// The path of the store's file.
    public let store: String
    /// The entity; nil if the problem concerns no entity.
    public let entity: String?
    /// The table, index or folder in which the problem is.
    public let table: String?
    /// The primary key of the row; nil if the problem concerns no single row.
    public let key: Int64?
    /// The column in which the problem is.
    public let column: String?
    /// The stored value as text. A long value is shortened.
    public let value: String?
    /// The number of problems that this one represents. It is 1, unless this is the last one reported of a column with
    /// many problems.
    public let count: Int
    /// What is wrong with the data, in words.
    public let explanation: String
    /// What to do about the problem, or what the repair has done.
    public let advice: String
    /// Whether the problem was repaired, or can be repaired.
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
