/// Gives out names that do not collide, the wanted one where it is free.
///
/// Swift tells `url` from `URL` and databases need not, so a name is compared as the dialect compares it. The same
/// wishes in the same order always get the same names.
struct NameRegister {
  private let foldsCase: Bool
  private var taken: Set<String> = []

  init(foldsCase: Bool, taken: [String] = []) {
    self.foldsCase = foldsCase
    for name in taken { self.taken.insert(folded(name)) }
  }

  mutating func claim(_ wish: String) -> String {
    var name = wish
    var number = 2
    while !taken.insert(folded(name)).inserted {
      name = "\(wish)_\(number)"
      number += 1
    }
    return name
  }

  private func folded(_ name: String) -> String {
    guard foldsCase else { return name }
    return String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}
