/// The data of the workloads with relationships: parents and their children. The rows of one parent's children are
/// scattered over the table.
public struct GraphPlan: Sendable {
  /// The number of children.
  public let children: Int

  /// The number of children of each parent.
  public let childrenOfEach = 100

  /// The number of parents.
  public var parents: Int { children / childrenOfEach }

  /// The number of parents that the delete workload deletes.
  public var half: Int { parents / 2 }

  init(children: Int) {
    self.children = children - children % childrenOfEach
  }

  /// The names of the parents, which are the same at every call.
  public func makeParents() -> [String] {
    (0..<parents).map { "parent " + String($0, radix: 36) }
  }

  /// The values of the children in the order of their rows. Neighbours have different parents.
  public func makeChildren() -> [ChildValues] {
    var random = SeededGenerator(seed: 4)
    let owners = (0..<children).map { $0 % parents }.shuffled(using: &random)
    return owners.enumerated().map { row, parent in
      ChildValues(
        name: "child " + String(row, radix: 36), number: Int.random(in: 0..<1_000_000, using: &random), parent: parent)
    }
  }
}

/// The values of one child, from which each contender creates its own object.
public struct ChildValues: Sendable {
  public let name: String
  public let number: Int

  /// The index of the child's parent in ``GraphPlan/makeParents()``.
  public let parent: Int
}
