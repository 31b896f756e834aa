# none: This table has judgements from papers, which no program computes.
