import ConformanceSupport
import SwiftData
import Testing

/// The names that the R-trees would normally get are those of tables that SQLite creates for another R-tree.
private enum Shadows {
  @Model final class Point {
    #Index<Point>(
      .rtree([\.x, \.rowid]), .rtree([\.x]), .rtree([\.x, \.node]), .rtree([\.x, \.y]), .rtree([\.x, \.parent]))
    var x: Double
    var y: Double?
    var rowid: Double
    var node: Double
    var parent: Double
    init(_ x: Double) {
      self.x = x
      y = x
      rowid = x
      node = x
      parent = x
    }
  }

  /// The names that this model's R-trees would normally get are those of another entity's R-tree and of the tables that
  /// SQLite creates for it.
  @Model final class Point_x {
    #Index<Point_x>(.rtree([\.node]), .rtree([\.y, \.outside]))
    var node: Double
    var y: Double
    var outside: Double
    init(_ node: Double) {
      self.node = node
      y = node
      outside = node
    }
  }
}

@Suite("Names of R-trees")
struct NameTests {
  @Test(
    "the name of an R-tree differs from the names of SQLite's shadow tables of other R-trees", arguments: Engine.sqlite)
  func shadowTables(_ engine: Engine) throws {
    let store = try TestStore(engine, [Shadows.Point.self, Shadows.Point_x.self])
    let context = store.context()
    for number in 0..<50 {
      context.insert(Shadows.Point(Double(number)))
      context.insert(Shadows.Point_x(Double(number)))
    }
    try context.save()
    let points = #Predicate<Shadows.Point> { $0.x > 9.5 && $0.rowid < 19.5 }
    let others = #Predicate<Shadows.Point> { $0.x > 9.5 && $0.node < 19.5 && $0.parent < 18.5 }
    #expect(try store.context().fetchCount(FetchDescriptor(predicate: points)) == 10)
    #expect(try store.context().fetchCount(FetchDescriptor(predicate: others)) == 9)
    let nodes = #Predicate<Shadows.Point_x> { $0.node > 9.5 && $0.node < 19.5 }
    #expect(try store.context().fetchCount(FetchDescriptor(predicate: nodes)) == 10)
    guard engine == .file else { return }
    #expect(try store.raw.trees.count == 7)
    try store.reopen()
    #expect(try store.raw.trees.count == 7)
    #expect(try store.raw.column("PRAGMA integrity_check") == ["ok"])
  }
}
