import PersistenceSupport
import Testing

@Suite("The original texts that a save collects while it writes rows")
struct OriginalNotesTests {
  private func notes(_ rows: Range<Int>, parametersEach count: Int32 = 2) -> OriginalNotes {
    let notes = OriginalNotes()
    notes.begin()
    for row in rows { note(row, count, in: notes) }
    return notes
  }

  private func note(_ row: Int, _ count: Int32, in notes: OriginalNotes) {
    for parameter in 1...count {
      notes.note(OriginalNotes.Note(row: row, key: Int64(row), parameter: parameter, original: "e\u{301}"))
    }
  }

  @Test("original texts of rejected rows are dropped, whether a row is rejected during the writing or at its end")
  func discarded() {
    let notes = notes(0..<10)
    notes.discard(rowAt: 9)
    note(10, 1, in: notes)
    for row in [3, 0, 11] { notes.discard(rowAt: row) }
    let taken = notes.take()
    #expect(taken.map(\.row) == [1, 1, 2, 2, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 10])
    #expect(notes.isEmpty && notes.take().isEmpty)
    // Row numbers start again in the next batch, so row 3, which was rejected in the first batch, is a new row.
    note(3, 1, in: notes)
    #expect(notes.take().map(\.row) == [3])
    notes.begin()
    note(0, 1, in: notes)
    note(1, 1, in: notes)
    notes.discard(rowAt: 0)
    notes.begin()
    note(0, 1, in: notes)
    #expect(notes.take().map(\.row) == [0])
  }

  @Test("collecting takes time in proportion to the number of rows, even if every second row is rejected")
  func many() {
    func time(_ count: Int) -> Duration {
      let notes = OriginalNotes()
      notes.begin()
      return ContinuousClock().measure {
        for row in 0..<count {
          note(row, 1, in: notes)
          if row % 2 == 1 { notes.discard(rowAt: row - 1) }
        }
        #expect(notes.take().count == count / 2)
      }
    }
    _ = time(10_000)
    #expect(time(200_000) < .seconds(10))
  }
}
