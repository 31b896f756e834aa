#if by-offset
# instead: position-dependence-by-offset
#end
# needs: model word_scores softmax attention_stats random_words csv
# choices: LAYER HEAD CAUSAL SEAM DRAWS TEXT
n = min(len(E), 512)


def weights_of(words):
    """Attention of the head for words [n, d] at its first positions."""
    return attention(word_scores(words, LAYER, HEAD), CAUSAL)


weights = weights_of(np.broadcast_to(MEAN_WORD, E[:n].shape))
columns = {"mean_word": attention_by_offset(weights)}
if DRAWS:
    draws = [attention_by_offset(weights_of(random_words(seed, n))) for seed in range(1, DRAWS + 1)]
    columns["random_words"] = np.median(draws, axis=0)
    columns["low"], columns["high"] = np.min(draws, axis=0), np.max(draws, axis=0)
if TEXT:
    shares = attention_by_offset(weights_of(WORDS[TEXT[:n]]))
    beyond = n - (len(shares) + 1) // 2
    columns["text"] = np.pad(shares, beyond, constant_values=np.nan)
columns["mean_word_entropy"] = np.full(2 * n - 1, mean_entropy(weights))
columns["mean_word_keys"] = 2 ** columns["mean_word_entropy"]
if SEAM:
    before = np.arange(n)[:, None] < SEAM
    columns["before_seam"] = attention_by_offset(weights * before)
    columns["behind_seam"] = attention_by_offset(weights * ~before)
rows = list(zip(range(1 - n, n), *columns.values()))
write_csv(["offset", *columns], rows[:n] if CAUSAL else rows)
