// Predicates and sort descriptors over `_body`, `_title` and the like, which the macro adds for isolated properties.
#if STORED
  import SwiftData
#else
  import Foundation
#endif

func twins(_ text: String) -> Predicate<Note> {
  #Predicate<Note> { note in
    note._body == text && note._title == text && note._stars > 1 && note._stars < 9 && note._body != "x"
  }
}

func twinSearch(_ word: String) -> Predicate<Note> {
  #Predicate<Note> { note in
    note._pages.contains(where: { $0._text.localizedStandardContains(word) })
      || note._title.localizedStandardContains(word) || note._author?._name.contains(word) ?? false
  }
}

func twinOrder() -> [SortDescriptor<Note>] {
  [SortDescriptor(\._stars, order: .reverse), SortDescriptor(\._title), SortDescriptor(\Note._made)]
}
