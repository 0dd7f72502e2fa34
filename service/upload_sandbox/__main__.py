"""The child process: one request on standard input, one answer on standard output."""

from .child import main

if __name__ == "__main__":
    main()
