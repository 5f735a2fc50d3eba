// This module knows the syntax of declarations, and the names of what expansions use, which it does not import.
