/// The ways in which a program can change a list property in place.
enum ListEdit: String, CaseIterable {
  case append, appendSeveral, insertFirst, insertInTheMiddle, insertSeveral
  case removeFirst, removeLast, removeInTheMiddle, removeWhere, removeAll, removeSubrange
  case replaceElement, replaceSubrange, replaceAll, swapAt, sort, reverse, moveToTheEnd
  case assign, assignReversed, assignNothing, addAssign, appendTwice, appendKnown

  /// Changes a list of four elements. A list of another length is left unchanged, so that the test fails instead of
  /// trapping. `others` contains the two elements that some edits add.
  func apply<T: Equatable>(to list: inout [T], others: [T], order: (T, T) -> Bool) {
    guard list.count == 4 else { return }
    if insert(into: &list, others) || remove(from: &list) || replace(in: &list, others) { return }
    rearrange(&list, others, order: order)
  }

  /// Applies the edit to a list of names, and returns the result with only the first of equal names.
  func result(_ list: [String], others: [String]) -> [String] {
    var list = list
    apply(to: &list, others: others, order: >)
    var known: Set<String> = []
    return list.filter { known.insert($0).inserted }
  }

  private func insert<T>(into list: inout [T], _ others: [T]) -> Bool {
    switch self {
    case .append: list.append(others[0])
    case .appendSeveral: list.append(contentsOf: others)
    case .insertFirst: list.insert(others[0], at: 0)
    case .insertInTheMiddle: list.insert(others[0], at: 2)
    case .insertSeveral: list.insert(contentsOf: others, at: 1)
    case .addAssign: list += others
    case .appendTwice: list.append(contentsOf: [others[0], others[0]])
    case .appendKnown: list.append(list[1])
    default: return false
    }
    return true
  }

  private func remove<T: Equatable>(from list: inout [T]) -> Bool {
    switch self {
    case .removeFirst: list.removeFirst()
    case .removeLast: list.removeLast()
    case .removeInTheMiddle: list.remove(at: 1)
    case .removeWhere:
      let first = list[0]
      list.removeAll { $0 == first }
    case .removeAll: list.removeAll()
    case .removeSubrange: list.removeSubrange(1..<3)
    default: return false
    }
    return true
  }

  private func replace<T>(in list: inout [T], _ others: [T]) -> Bool {
    switch self {
    case .replaceElement: list[1] = others[0]
    case .replaceSubrange: list.replaceSubrange(1..<3, with: others)
    case .replaceAll: list.replaceSubrange(0..., with: others)
    case .assign: list = [others[0], list[2], others[1], list[0]]
    case .assignNothing: list = []
    default: return false
    }
    return true
  }

  private func rearrange<T>(_ list: inout [T], _ others: [T], order: (T, T) -> Bool) {
    switch self {
    case .swapAt: list.swapAt(0, 3)
    case .sort: list.sort(by: order)
    case .reverse: list.reverse()
    case .assignReversed: list = list.reversed()
    case .moveToTheEnd: list.append(list.remove(at: 0))
    default: break
    }
  }
}
