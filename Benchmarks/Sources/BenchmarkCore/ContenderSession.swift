/// An open database, closed when the session is released, and one method for each workload.
///
/// Each method times with the stopwatch what the workload is named after, prepares and checks outside of it, and
/// returns a checksum in which all contenders must agree.
public protocol ContenderSession: AnyObject {
  /// Saves objects made of the values.
  func insert(_ items: [ItemValues], _ stopwatch: Stopwatch) throws -> Int

  /// Fetches every row as an object.
  func fetchAll(_ stopwatch: Stopwatch) throws -> Int

  /// Fetches every row as an object and lets the objects go.
  func fetchAndFree(_ stopwatch: Stopwatch) throws -> Int

  /// Fetches every row as a structure.
  func fetchValues(_ stopwatch: Stopwatch) throws -> Int

  /// Reads three fields of every object of a fetch.
  func readThreeFields(_ stopwatch: Stopwatch) throws -> Int

  /// Fetches the first rows of each range of `count`, in the order of its index.
  func rangeInIndexOrder(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Fetches all rows of each range of `count`, sorted by name.
  func rangeSortedByName(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Finds each row by its identifier, jumping about, no object being in memory.
  func lookUpCold(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Finds each row by its identifier while all objects are in memory, jumping about or one after the other. Jumping
  /// about, half of what an identity map takes is waiting for the memory of the object.
  func lookUpRegistered(_ plan: WorkPlan, inOrder: Bool, _ stopwatch: Stopwatch) throws -> Int

  /// Puts the identifier of every object into a set, looks each up, jumping about, and lets the set go. All objects are
  /// in memory. What goes in is made from the objects within the timing, what is looked up has been made before.
  func identifiersInSet(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Counts the rows of each range of `count`.
  func countRange(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Counts all rows, again and again.
  func countAll(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Fetches nothing, again and again: by a range of `count` that is written as a condition, or by a limit of none. What
  /// the one costs more than the other is what the condition costs.
  func findNone(_ plan: WorkPlan, byPredicate: Bool, _ stopwatch: Stopwatch) throws -> Int

  /// Loads half the rows, adds one to the score of each and saves.
  func update(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Changes and saves one row again and again: alone, or after another context has changed and saved another row.
  func saveOne(_ plan: WorkPlan, afterOther: Bool, _ stopwatch: Stopwatch) throws -> Int

  /// Changes and saves one row again and again, with a record of the change in the same transaction: when and where it
  /// was made, and which property of which row has changed.
  func saveWithRecord(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Deletes half the rows, whose objects are in memory.
  func delete(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// The first rows of one range: what an application shows after opening.
  func firstRows(of range: Range<Int>, limit: Int) throws -> Int
}

/// A session with a database that several clients use at a time: one on a server.
public protocol ServerSession: ContenderSession {
  /// Finds all rows by their identifiers, jumping about, a group at a time, no object being in memory.
  func lookUpInGroups(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Clients, each with a connection of its own, change and save a row each, again and again and all at the same time.
  func saveByClients(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int
}

/// What a contender has nothing for: its cell of the table stays empty.
public struct NotOffered: Error {
  public init() {}
}
