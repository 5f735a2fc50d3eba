/// An open database, closed when the session is released, and one method for each workload.
///
/// Each method measures only the operation that the workload is named after; it prepares and checks outside of the
/// stopwatch. It returns a checksum, which must be the same for all contenders.
public protocol ContenderSession: AnyObject {
  /// Saves objects with the values.
  func insert(_ items: [ItemValues], _ stopwatch: Stopwatch) throws -> Int

  /// Fetches every row as an object.
  func fetchAll(_ stopwatch: Stopwatch) throws -> Int

  /// Fetches every row as an object and releases the objects.
  func fetchAndFree(_ stopwatch: Stopwatch) throws -> Int

  /// Fetches every row as a structure.
  func fetchValues(_ stopwatch: Stopwatch) throws -> Int

  /// Reads three fields of every object of a fetch.
  func readThreeFields(_ stopwatch: Stopwatch) throws -> Int

  /// Fetches the first rows of each range of `count`, in the order of its index.
  func rangeInIndexOrder(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Fetches all rows of each range of `count`, sorted by name.
  func rangeSortedByName(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Finds each row by its identifier in random order, with no object in memory.
  func lookUpCold(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Finds each row by its identifier while all objects are in memory, in random or sequential order. In random order,
  /// half of the time of an identity map is waiting for the memory of the object.
  func lookUpRegistered(_ plan: WorkPlan, inOrder: Bool, _ stopwatch: Stopwatch) throws -> Int

  /// Inserts the identifier of every object into a set, looks each up in random order, and releases the set. All
  /// objects are in memory. The inserted identifiers are created inside the timing, the looked-up ones before it.
  func identifiersInSet(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Counts the rows of each range of `count`.
  func countRange(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Counts all rows repeatedly.
  func countAll(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Runs fetches without results: with a range of `count` as a condition, or with a limit of 0. The difference is the
  /// cost of the condition.
  func findNone(_ plan: WorkPlan, byPredicate: Bool, _ stopwatch: Stopwatch) throws -> Int

  /// Loads half the rows, adds one to the score of each and saves.
  func update(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Changes and saves one row repeatedly: alone, or after another context has changed and saved another row.
  func saveOne(_ plan: WorkPlan, afterOther: Bool, _ stopwatch: Stopwatch) throws -> Int

  /// Changes and saves one row repeatedly, with a record of the change in the same transaction: its time and origin,
  /// and the changed property of the row.
  func saveWithRecord(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Deletes half the rows, whose objects are in memory.
  func delete(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Fetches the first rows of one range, as an application does after opening.
  func firstRows(of range: Range<Int>, limit: Int) throws -> Int
}

/// A session with a database that several clients use at the same time: one on a server.
public protocol ServerSession: ContenderSession {
  /// Finds all rows by their identifiers, in random order and in groups, with no object in memory.
  func lookUpInGroups(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Several clients, each with a connection of its own, repeatedly change and save one row each at the same time.
  func saveByClients(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int
}

/// The error of a workload that a contender does not support. Its cell in the table stays empty.
public struct NotOffered: Error {
  public init() {}
}
