"""What routes share of HTTP: how requests are read and failures answered, and the document of the contract."""
