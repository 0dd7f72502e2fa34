"""What exports share, whatever they write down: strangers' texts as literals, and terms in other languages."""
