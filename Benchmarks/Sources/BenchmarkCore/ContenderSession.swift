/// An open database, with one method for each workload. The release of the session closes the database.
///
/// Each method measures with the stopwatch only the operation that the workload is named after. Preparations and checks
/// are not measured. The method returns a checksum, which must be the same for all contenders.
public protocol ContenderSession: AnyObject {
  /// Creates an object for each item's values, and saves all objects.
  func insert(_ items: [ItemValues], _ stopwatch: Stopwatch) throws -> Int

  /// Fetches every row as an object.
  func fetchAll(_ stopwatch: Stopwatch) throws -> Int

  /// Fetches every row as an object and releases the objects.
  func fetchAndFree(_ stopwatch: Stopwatch) throws -> Int

  /// Fetches every row as a structure.
  func fetchValues(_ stopwatch: Stopwatch) throws -> Int

  /// Reads three fields of every object of a fetch.
  func readThreeFields(_ stopwatch: Stopwatch) throws -> Int

  /// For each range of `count`, fetches the first rows in the order of the index on `count`.
  func rangeInIndexOrder(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Fetches all rows of each range of `count`, sorted by name.
  func rangeSortedByName(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Finds each row by its identifier in random order, with no object in memory.
  func lookUpCold(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Finds each row by its identifier while all objects are in memory, in random or sequential order. In random order,
  /// an identity map spends half of the time waiting until the processor has loaded the object from memory.
  func lookUpRegistered(_ plan: WorkPlan, inOrder: Bool, _ stopwatch: Stopwatch) throws -> Int

  /// Inserts the identifier of every object into a set, looks each up in random order, and releases the set. All
  /// objects are in memory. The time includes the creation of the inserted identifiers; the looked-up identifiers are
  /// created before.
  func identifiersInSet(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Counts the rows of each range of `count`.
  func countRange(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Counts all rows repeatedly.
  func countAll(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Runs fetches that find no row, because a predicate requires an empty range of `count`, or because the limit is 0.
  /// The difference of the two times is the cost of the predicate.
  func findNone(_ plan: WorkPlan, byPredicate: Bool, _ stopwatch: Stopwatch) throws -> Int

  /// Loads half the rows, adds one to the score of each and saves.
  func update(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Repeatedly changes and saves one row. If `afterOther` is true, another context changes and saves another row
  /// before each change.
  func saveOne(_ plan: WorkPlan, afterOther: Bool, _ stopwatch: Stopwatch) throws -> Int

  /// Repeatedly changes and saves one row. Each transaction also inserts a record of the change, with its time, its
  /// origin, the row and the changed property.
  func saveWithRecord(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Deletes half the rows, whose objects are in memory.
  func delete(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Fetches the first rows of one range of `count`, as an application does after it opened the database.
  func firstRows(of range: Range<Int>, limit: Int) throws -> Int
}

/// A session with a database on a server, which several clients can use at the same time.
public protocol ServerSession: ContenderSession {
  /// Finds all rows by their identifiers, in random order, with one query for each group of identifiers and no object
  /// in memory.
  func lookUpInGroups(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Runs several clients at the same time, each with a connection of its own. Each client repeatedly changes and saves
  /// one row.
  func saveByClients(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int
}

/// A contender throws this error for a workload that it does not support. The workload's cell in the table stays empty.
public struct NotOffered: Error {
  public init() {}
}
