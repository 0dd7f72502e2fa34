"""Several tables with keys: closed queries about an example, trees and forests over them, and their evaluation."""
