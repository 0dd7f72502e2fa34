"""Which rows should somebody inspect first? Tan et al. (2020), "Fixing Mislabeled Points", done again."""
