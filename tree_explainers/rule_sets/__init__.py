"""Rule sets: a few rules on raw features that represent an ensemble. Start reading at ``rule_search.find_rules``."""
