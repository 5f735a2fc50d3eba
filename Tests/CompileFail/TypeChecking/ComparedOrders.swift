// Locale-dependent sorts of texts. Foundation on Linux lacks this comparison, so the plain classes also declare its
// initialisers.
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
