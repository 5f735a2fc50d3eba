import ConformanceSupport
import Foundation
import SwiftData
import Testing

@Suite("Stores in Datasette")
struct DatasetteTests {
  @Test("Datasette shows a page for every table and for every kind of row")
  func pages() async throws {
    let store = try MuseumStore()
    let contents = try store.contents()
    do {
      let server = try Datasette(store)
      let tables = [
        "Exhibit", "Room", "Maker", "Topic", "Label", "Loan", "Pledge", "Folder", "_osd_link_Exhibit_topics",
      ]
      let front = try #require(try server.page("/museum") as? String)
      for table in tables {
        #expect(front.contains("/museum/\(table)"), "\(table) is on the front page")
        let page = try #require(try server.page("/museum/\(table)") as? String)
        #expect(page.contains("_osd_key"))
      }
      for key in [1, 10, 20, 30] { _ = try server.page("/museum/Exhibit/\(key)") }
      let row = try #require(try server.rows("/museum/Room/1.json?_shape=array").first)
      #expect(row["name"] as? String == "hall" && row["x"] as? Double == 1)
    }
    try await store.expectWhole(contents)
  }

  @Test("sorts, filters and facets of Datasette have the same results as the library's queries")
  func sorting() throws {
    let store = try MuseumStore()
    let context = ModelContext(try store.container())
    let all = try context.fetch(FetchDescriptor<Exhibit>(sortBy: [SortDescriptor(\.title), SortDescriptor(\.name)]))
    let server = try Datasette(store)
    let columns = "_shape=array&_size=max&_col=name&_col=title&_col=price"
    let byTitle = try server.rows("/museum/Exhibit.json?\(columns)&_sort=title").compactMap { $0["title"] as? String }
    // Datasette returns stored forms: texts in normal form C, with U+0000 escaped.
    #expect(
      byTitle.count == 36
        && byTitle.map { $0.replacing("\u{1}\u{1}", with: "\u{0}").replacing("\u{1}\u{2}", with: "\u{1}") }
          == all.map(\.title)
    )
    let found = try server.rows("/museum/Exhibit.json?\(columns)&title__exact=Z%C3%BCrich").compactMap {
      $0["name"] as? String
    }
    #expect(Set(found) == Set(all.filter { $0.title == "Z\u{FC}rich" }.map(\.name)) && found.count > 1)
    let maker = try #require(try server.rows("/museum/Maker.json?_shape=array&name=ada").first?["_osd_key"] as? Int)
    let works = try server.rows("/museum/Exhibit.json?\(columns)&maker=\(maker)").compactMap { $0["name"] as? String }
    #expect(Set(works) == Set(all.filter { $0.maker.name == "ada" }.map(\.name)))
    let page = try #require(try server.page("/museum/Exhibit.json?_facet=_osd_entity&_size=1") as? [String: Any])
    #expect(try facets(page, "_osd_entity") == Dictionary(grouping: all) { "\(type(of: $0))" }.mapValues(\.count))
  }

  private func facets(_ page: [String: Any], _ name: String) throws -> [String: Int] {
    let results = try #require(page["facet_results"] as? [String: Any])
    let facet = try #require((results[name] ?? (results["results"] as? [String: Any])?[name]) as? [String: Any])
    let entries = try #require(facet["results"] as? [[String: Any]])
    return Dictionary(
      entries.compactMap { entry in
        (entry["value"] as? String).flatMap { value in (entry["count"] as? Int).map { (value, $0) } }
      }
    ) { $1 }
  }

  @Test("Datasette queries dates and decimals by the expressions that the documentation recommends")
  func queries() throws {
    let store = try MuseumStore()
    let server = try Datasette(store)
    let sql = "select+name,amount+from+Pledge+order+by+cast(amount+as+real)"
    let rows = try server.rows("/museum.json?_shape=array&sql=\(sql)")
    #expect(rows.compactMap { $0["amount"] as? String } == ["12.5", "100"])
    let dates = "select+strftime('%25Y-%25m-%25d',+%22from%22+%2B+978307200,+'unixepoch')+as+day+from+Loan+limit+1"
    #expect(try server.rows("/museum.json?_shape=array&sql=\(dates)").first?["day"] as? String == "2026-05-09")
  }

  @Test("Datasette can read a store while the library writes to it")
  func meanwhile() async throws {
    let store = try MuseumStore()
    let server = try Datasette(store)
    let path = "/museum/Room.json?_shape=array&_sort=name&_col=name&_col=y"
    #expect(try server.rows(path).compactMap { $0["name"] as? String } == ["cellar", "hall", "loft"])
    try store.change { try Work($0).perform() }
    let rows = try server.rows(path)
    #expect(rows.compactMap { $0["name"] as? String } == ["annex", "hall", "loft"])
    #expect(rows.last?["y"] as? Double == 200.5)
    try await store.expectWhole(try MuseumStore.worked())
  }
}
