// The classes that the predicates are about, with Foundation alone, and what it lacks on Linux.
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

#if !canImport(Darwin)
  extension PredicateExpressions {
    struct Search<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      typealias Output = Bool
      let root: Root
      let other: Other

      func evaluate(_ bindings: PredicateBindings) throws -> Bool { false }
    }

    // The name is what the macro writes.
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
