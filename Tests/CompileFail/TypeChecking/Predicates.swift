// Predicates as programs write them to search lists. The compiler type-checks each twice: as written and as expanded.
#if STORED
  import SwiftData
#else
  import Foundation
#endif

func sixTerms(_ text: String) -> Predicate<Doc> {
  #Predicate<Doc> { d in d.name == text && d.note == text && d.n > 1 && d.n < 9 && d.name != "x" && d.note != "y" }
}

func search(_ word: String) -> Predicate<Memo> {
  #Predicate<Memo> { memo in
    memo.tags.contains(where: { $0.label.localizedStandardContains(word) })
      || memo.things.contains(where: { $0.name.localizedStandardContains(word) })
      || memo.notes.localizedStandardContains(word) || memo.scan?.text.localizedStandardContains(word) ?? false
  }
}

func bound(_ word: String) -> Predicate<Memo> {
  #Predicate<Memo> { memo in
    if let subtitle = memo.subtitle, let rating = memo.rating {
      return subtitle.localizedStandardContains(word) && rating > 3
    } else {
      return memo.title == word
    }
  }
}

func optionalList(_ word: String) -> Predicate<Memo> {
  #Predicate<Memo> { memo in
    memo.links?.contains { $0.name == word } == true && memo.pages > 3 && !memo.isPinned
  }
}

func coalesced(_ day: Date) -> Predicate<Memo> {
  #Predicate<Memo> { memo in
    memo.pages >= 1 && memo.title != "" && memo.made < day && memo.due ?? day > day
  }
}
