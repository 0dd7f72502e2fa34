"""What a release is made of: distributions that are built, checked and tried as those who install them will."""
