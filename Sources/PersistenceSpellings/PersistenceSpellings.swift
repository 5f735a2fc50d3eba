// This module declares the deprecated names of the betas of 2023.
