"""Pictures of two papers, drawn again from real runs: regions in the plane (Hara & Hayashi), distances (Tan et al.)."""
