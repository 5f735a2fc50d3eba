// This module knows the API names of the SwiftData betas of 2023, all of them deprecated or unavailable.
