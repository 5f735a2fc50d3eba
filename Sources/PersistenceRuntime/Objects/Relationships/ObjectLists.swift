import Foundation

// Lists of objects as what they are in memory, one address after the other. A save that takes one object out of a list
// may have to go over all of it: that must cost no more for each object than to compare or copy its address.

extension ContiguousArray where Element == AnyObject {
  /// The objects of a list, in the same memory until one of the two changes.
  package init<Object: PersistentModel>(sharing list: [Object]) {
    // A cast of each object would take far longer, and a reference is the same in memory whatever its type.
    let objects = unsafe unsafeBitCast(list, to: [AnyObject].self)
    self.init(objects)
  }

  /// Whether another list has the same objects in the same order.
  package func isSame(as other: ContiguousArray<AnyObject>) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { own in
      other.withUnsafeBytes { other in
        guard let first = own.baseAddress, let second = other.baseAddress else { return true }
        return memcmp(first, second, own.count) == 0
      }
    }
  }

  /// How many objects the list has in common with another one from the beginning.
  package func commonPrefix<Object: PersistentModel>(with list: [Object]) -> Int {
    let limit = Swift.min(count, list.count)
    return withUnsafeBytes { own in
      list.withUnsafeBytes { other in
        guard let start = own.baseAddress, let otherStart = other.baseAddress else { return 0 }
        if memcmp(start, otherStart, limit * MemoryLayout<UInt>.stride) == 0 { return limit }
        let (left, right) = (own.bindMemory(to: UInt.self), other.bindMemory(to: UInt.self))
        var place = 0
        while place < limit, left[place] == right[place] { place += 1 }
        return place
      }
    }
  }

  /// How many objects the list has in common with another one at the end, of those after the first ones.
  package func commonSuffix<Object: PersistentModel>(with list: [Object], after start: Int) -> Int {
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
  /// So few are looked for one after the other: to ask for each object of a list whether it is among them takes longer.
  private static let few = 4

  /// Takes the objects out of a list.
  func takeOut<Object: PersistentModel>(of list: inout [Object]) {
    guard count <= Self.few else { return list.removeAll { contains($0) } }
    let found = list.withUnsafeBytes { places(in: $0) }
    for place in found { list.remove(at: place) }
  }

  /// Takes the objects out of a list.
  func takeOut(of list: inout ContiguousArray<AnyObject>) {
    guard count <= Self.few else { return list.removeAll { contains($0) } }
    let found = list.withUnsafeBytes { places(in: $0) }
    for place in found { list.remove(at: place) }
  }

  /// Those of the objects that are in a list.
  package func members(of list: ContiguousArray<AnyObject>) -> ObjectSet {
    var members = ObjectSet()
    if count > Self.few {
      for object in list where contains(object) { members.insert(object) }
    } else {
      let found = list.withUnsafeBytes { places(in: $0) }
      for place in found { members.insert(list[place]) }
    }
    return members
  }

  /// Where the objects are in a list of addresses, the last place first.
  private func places(in list: UnsafeRawBufferPointer) -> [Int] {
    let addresses = list.bindMemory(to: UInt.self)
    let end = addresses.count
    var found: [Int] = []
    for object in objects {
      let address = UInt(bitPattern: ObjectIdentifier(object))
      var place = 0
      while place < end {
        if addresses[place] == address { found.append(place) }
        place += 1
      }
    }
    return found.sorted(by: >)
  }
}
