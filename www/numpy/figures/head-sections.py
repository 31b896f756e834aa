# needs: model head_scores sections csv
# choices: LAYER HEAD CAUSAL
matrix = scores(LAYER, HEAD)
n = len(matrix)
rows = [
    [number, query, key - query, key, matrix[query, key].item()]
    for number, query in enumerate(section_queries(n), 1)
    for key in range(query + 1 if CAUSAL else n)
]
write_csv(["section", "query", "offset", "key", "score"], rows)
