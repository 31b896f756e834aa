def section_queries(n):
    """Five queries from near the first position to near the last."""
    return [int((n - 1) * fraction + 0.5) for fraction in (0.1, 0.3, 0.5, 0.7, 0.9)]
