"""The mathematics: arrays in, arrays out; nothing of the web, no I/O, no printing, no global state."""
