// This module knows containers, configurations, migration plans and the actors that own contexts, and no SQL.
