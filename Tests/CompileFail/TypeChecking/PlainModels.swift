// The classes for the predicates without SwiftData, and declarations that Foundation lacks on Linux.
import Foundation

final class Doc {
  var name = ""
  var note = ""
  var n = 0
}

final class Tag {
  var label = ""
}

final class Thing {
  var name = ""
}

final class Scan {
  var text = ""
}

final class Memo {
  var title = ""
  var notes = ""
  var subtitle: String?
  var rating: Int?
  var pages = 0
  var isPinned = false
  var due: Date?
  var made = Date.now
  var tags: [Tag] = []
  var things: [Thing] = []
  var links: [Thing]? = []
  var scan: Scan?
}

final class Page {
  var _text = ""
}

final class Author {
  var _name = ""
}

final class Note {
  var _title = ""
  var _body = ""
  var _stars = 0
  var _made = Date.now
  var _pages: [Page] = []
  var _author: Author?
}

// Functions that combine several predicates into one.
extension Predicate {
  static func all(_ predicates: [Predicate<repeat each Input>]) -> Predicate<repeat each Input> { predicates[0] }
  static func any(_ predicates: [Predicate<repeat each Input>]) -> Predicate<repeat each Input> { predicates[0] }
  var negated: Predicate<repeat each Input> { self }
}

#if !canImport(Darwin)
  protocol Listed {}
  extension Memo: Listed {}

  extension String.StandardComparator {
    static let localizedStandard = String.StandardComparator.lexical
    static let localized = String.StandardComparator.lexical
  }

  extension SortDescriptor where Compared: Listed {
    init(_ keyPath: any KeyPath<Compared, String> & Sendable, comparator: String.StandardComparator) {
      self.init(keyPath, order: .forward)
    }

    init(_ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: String.StandardComparator) {
      self.init(keyPath, order: .forward)
    }

    init(_ keyPath: any KeyPath<Compared, String> & Sendable, comparator: String.StandardComparator, order: SortOrder) {
      self.init(keyPath, order: order)
    }

    init(_ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: String.StandardComparator, order: SortOrder)
    {
      self.init(keyPath, order: order)
    }
  }
#endif

#if !canImport(Darwin)
  extension PredicateExpressions {
    struct Search<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      typealias Output = Bool
      let root: Root
      let other: Other

      func evaluate(_ bindings: PredicateBindings) throws -> Bool { false }
    }

    // The macro `#Predicate` calls a function with this name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    static func build_localizedStandardContains<Root, Other>(_ root: Root, _ other: Other) -> Search<Root, Other> {
      Search(root: root, other: other)
    }
  }

  extension PredicateExpressions.Search: Codable where Root: Codable, Other: Codable {}

  extension PredicateExpressions.Search: Sendable where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.Search: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
