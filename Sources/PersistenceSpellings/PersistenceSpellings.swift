// This module knows the names of 2023, all of them deprecated.
