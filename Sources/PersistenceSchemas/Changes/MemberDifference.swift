import PersistenceRuntime

/// Describes the changes of a composite attribute's members.
struct MemberDifference {
  let path: String
  let old: [AttributeForm]?
  let new: [AttributeForm]?

  func sentences() -> [String] {
    switch (old, new) {
    case (nil, nil): return []
    case (nil, _): return ["\(path) is stored in several parts now."]
    case (_, nil): return ["\(path) is no longer stored in several parts."]
    case (let old?, let new?): return changes(byName(old), byName(new))
    }
  }

  private func changes(_ old: [String: AttributeForm], _ new: [String: AttributeForm]) -> [String] {
    let names = Set(old.keys).union(new.keys).sorted()
    return names.flatMap { name -> [String] in
      let path = "\(path).\(name)"
      guard let before = old[name] else { return ["Attribute \(path) was added."] }
      guard let after = new[name] else { return ["Attribute \(path) was removed."] }
      return AttributeDifference(path: path, old: before, new: after).sentences()
    }
  }

  private func byName(_ members: [AttributeForm]) -> [String: AttributeForm] {
    Dictionary(members.map { ($0.name, $0) }) { first, _ in first }
  }
}
