// This module knows queries whose results follow the store: observers of results, their sections, and what sequences are made of.
