// This module knows containers, configurations, migration plans and the actors that own contexts. It knows no SQL.
