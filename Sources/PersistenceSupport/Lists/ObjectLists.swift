import Foundation

// Operations on lists of objects as arrays of addresses. A save that removes one object from a list may scan all of it,
// so the cost per object is one comparison or copy of an address.

extension ContiguousArray where Element == AnyObject {
  /// Shares the storage of a list until one of the two is mutated.
  package init<Object: AnyObject>(sharing list: [Object]) {
    // Reference types have one representation, so no cast of each element is necessary.
    let objects = unsafe unsafeBitCast(list, to: [AnyObject].self)
    self.init(objects)
  }

  /// Whether both lists have the same objects in the same order.
  package func isSame(as other: ContiguousArray<AnyObject>) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { own in
      other.withUnsafeBytes { other in
        guard let first = own.baseAddress, let second = other.baseAddress else { return true }
        return memcmp(first, second, own.count) == 0
      }
    }
  }

  /// The number of equal leading objects.
  package func commonPrefix<Object: AnyObject>(with list: [Object]) -> Int {
    let limit = Swift.min(count, list.count)
    return withUnsafeBytes { own in
      list.withUnsafeBytes { other in
        guard let start = own.baseAddress, let otherStart = other.baseAddress else { return 0 }
        if memcmp(start, otherStart, limit * MemoryLayout<UInt>.stride) == 0 { return limit }
        let (left, right) = (own.bindMemory(to: UInt.self), other.bindMemory(to: UInt.self))
        var index = 0
        while index < limit, left[index] == right[index] { index += 1 }
        return index
      }
    }
  }

  /// The number of equal trailing objects, excluding a leading part.
  package func commonSuffix<Object: AnyObject>(with list: [Object], after start: Int) -> Int {
    let limit = Swift.min(count, list.count) - start
    return withUnsafeBytes { own in
      list.withUnsafeBytes { other in
        let bytes = limit * MemoryLayout<UInt>.stride
        guard let end = own.baseAddress, let otherEnd = other.baseAddress else { return 0 }
        if memcmp(end + (own.count - bytes), otherEnd + (other.count - bytes), bytes) == 0 { return limit }
        let (left, right) = (own.bindMemory(to: UInt.self), other.bindMemory(to: UInt.self))
        var length = 0
        while length < limit, left[left.count - 1 - length] == right[right.count - 1 - length] { length += 1 }
        return length
      }
    }
  }
}

extension ObjectSet {
  /// Up to this count the set is searched linearly, which is faster than a look-up per list element.
  private static let few = 4

  /// Removes the objects from a list.
  package func takeOut<Object: AnyObject>(of list: inout [Object]) {
    guard count <= Self.few else { return list.removeAll { contains($0) } }
    let found = list.withUnsafeBytes { indices(in: $0) }
    for index in found { list.remove(at: index) }
  }

  /// Removes the objects from a list.
  package func takeOut(of list: inout ContiguousArray<AnyObject>) {
    guard count <= Self.few else { return list.removeAll { contains($0) } }
    let found = list.withUnsafeBytes { indices(in: $0) }
    for index in found { list.remove(at: index) }
  }

  /// The objects that a list contains.
  package func members(of list: ContiguousArray<AnyObject>) -> ObjectSet {
    var members = ObjectSet()
    if count > Self.few {
      for object in list where contains(object) { members.insert(object) }
    } else {
      let found = list.withUnsafeBytes { indices(in: $0) }
      for index in found { members.insert(list[index]) }
    }
    return members
  }

  /// The indices of the objects in a list of addresses, in descending order.
  private func indices(in list: UnsafeRawBufferPointer) -> [Int] {
    let addresses = list.bindMemory(to: UInt.self)
    let end = addresses.count
    var found: [Int] = []
    for object in objects {
      let address = UInt(bitPattern: ObjectIdentifier(object))
      var index = 0
      while index < end {
        if addresses[index] == address { found.append(index) }
        index += 1
      }
    }
    return found.sorted(by: >)
  }
}
