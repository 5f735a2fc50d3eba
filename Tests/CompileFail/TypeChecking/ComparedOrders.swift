// Orders by texts, compared as a list for people compares them. Foundation on Linux lacks that comparison, so the plain
// classes bring the initialisers for it as well.
#if STORED
  import SwiftData
#else
  import Foundation
#endif

func compared() -> [SortDescriptor<Memo>] {
  [
    SortDescriptor(\Memo.title, comparator: .localizedStandard), SortDescriptor(\Memo.made, order: .reverse),
    SortDescriptor(\Memo.subtitle, comparator: .localized, order: .reverse),
    SortDescriptor(\Memo.notes, comparator: .lexical),
  ]
}
