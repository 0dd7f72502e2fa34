"""Zhou & Hooker (2016), section 4, and the trees in Hara & Hayashi (2018), figure 5, done again."""
