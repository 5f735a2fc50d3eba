import SwiftData

let uniqueModels: [any PersistentModel.Type] = [
  Country.self, City.self, Street.self, Tag.self, Post.self, Account.self,
]

@Model
final class Country: Named {
  @Attribute(.unique) var name: String
  var population: Int
  var motto: String?
  @Relationship(inverse: \City.country) var cities: [City] = []

  init(_ name: String, population: Int = 0, motto: String? = nil) {
    self.name = name
    self.population = population
    self.motto = motto
  }
}

/// A model whose name is unique within its country.
@Model
final class City: Named {
  #Unique<City>([\.name, \.country])

  var name: String
  var mayor: String
  var country: Country?
  @Relationship(deleteRule: .cascade, inverse: \Street.city) var streets: [Street] = []

  init(_ name: String, mayor: String = "", country: Country? = nil) {
    self.name = name
    self.mayor = mayor
    self.country = country
  }
}

@Model
final class Street: Named {
  var name: String
  var city: City?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Tag: Named {
  @Attribute(.unique) var name: String
  var color: String
  @Relationship(inverse: \Post.tags) var posts: [Post] = []

  init(_ name: String, color: String = "") {
    self.name = name
    self.color = color
  }
}

@Model
final class Post: Named {
  var name: String
  var tags: [Tag] = []

  init(_ name: String, tags: [Tag] = []) {
    self.name = name
    self.tags = tags
  }
}

/// A model with two unique constraints: one on an optional property, and one on a pair of properties.
@Model
final class Account: Named {
  #Unique<Account>([\.email], [\.name, \.site])

  var name: String
  var site: String
  var email: String?
  var visits: Int

  init(_ name: String, site: String, email: String? = nil, visits: Int = 0) {
    self.name = name
    self.site = site
    self.email = email
    self.visits = visits
  }
}
