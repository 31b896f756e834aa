"""Small tokenizers of every kind, with the ids, pieces and offsets that the libraries of published models give.

    pip install tokenizers==0.23.3 transformers==5.24.0 sentencepiece==0.2.3 protobuf==7.36.2
    python tests/data/make/tokenizer_kinds.py

A script of its own: the other folders need torch and none of these. The tokenizers are trained on `training.txt`.
`golden.json` has an entry for each set of files that describes the tokenizer; sets with the same tokens share it.
"""

import io
import json
import shutil
from pathlib import Path

import sentencepiece
import transformers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = Path(__file__).resolve().parent.parent / "tokenizers"
TRAINING = (HERE / "training.txt").read_text()
LINES = TRAINING.splitlines()

# Texts that tokenizers are known to differ on. `times` repeats a text.
TEXTS = [
    {"text": ""},
    {"text": " "},
    {"text": "   \t \n \r\n  "},
    {"text": "a"},
    {"text": "The old clock in the hall struck nine, and nobody heard it."},
    {"text": "the  two   spaces and a trailing one "},
    {"text": "tab\tnewline\nreturn\r\nno-break\u00a0space thin\u2009space ideographic\u3000space"},
    {"text": "Élan, naïve, Ångström, façade; decomposed: e\u0301 n\u0303 A\u030a"},
    {"text": "ΌΣΟΣ ΣΊΣΥΦΟΣ σς Σ"},
    {"text": "İstanbul Iğdır ıi İ"},
    {"text": "straße GROẞ ﬁne ﬀ ½ ² ①"},
    {"text": "ＦＵＬＬ　ｗｉｄｔｈ ｶﾀｶﾅ"},
    {"text": "日本語のテキスト、中文文本。한국어 텍스트"},
    {"text": "𠀀𠀁 rare ideographs"},
    {"text": "שלום עולם مرحبا بالعالم \u202bright to left\u202c"},
    {"text": "हिन्दी में पाठ ไทย"},
    {"text": "👩\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈 👍🏽 🇨🇭 joined"},
    {"text": "zero\u200bwidth\u200djoiner soft\u00adhyphen \ufeffmark"},
    {"text": "nul\u0000in the middle, bell\u0007, delete\u007f, \ufffd"},
    {"text": "it's we'll they've I'm you'd don't IT'S WE'LL O'Neill ''quoted'' ``so''"},
    {"text": "1 12 123 1234 3.14159 1,000,000 1e-10 0x1F ١٢٣"},
    {"text": "!?.,;:-–—…()[]{}<>«»“”‘’\"'`´@#$%^&*_+=|\\/~"},
    {"text": "snake_case CamelCase kebab-case path/to/file.txt https://example.org/?q=1&r=2#x"},
    {"text": "[MASK] [CLS] [SEP] [PAD] [UNK] <mask> <s> </s> <pad> <unk> <|endoftext|>"},
    {"text": "A [MASK] in the text, a<mask>without space, a  <mask>  with spaces, [mask] in lower case"},
    {"text": "<extra_id_0> fills <extra_id_99> and <0x0A> is text"},
    {"text": "▁the ▁ Ġthe ##ing <unk>"},
    {"text": "x", "times": 99},
    {"text": "x", "times": 100},
    {"text": "x", "times": 101},
    {"text": "e\u0301", "times": 60},
    {"text": "a\u0300\u0301\u0302\u0303\u0304\u0305 z\u0324\u0325\u0326"},
    {"text": "the", "times": 50},
    {"text": " ", "times": 70},
    {"text": "\n", "times": 9},
    {"text": "Ein Wort, noch ein Wort; und zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich."},
    {"text": "Où est l’œuvre? Là-bas, près du château; c’était l’été, n’est-ce pas?"},
    {"text": "def f(x):\n    return x ** 2  # square\n\n\tif x:\n        pass\n"},
]

# Texts of which only the number of tokens and a hash of their ids are stored.
LONG_TEXTS = [
    {"text": TRAINING, "times": 8},
    {"text": "a\u0301", "times": 10_000},
    {"text": "\u0301", "times": 10_000},
    {"text": "The old clock struck nine. ", "times": 7_500},
    {"text": "👩\u200d👧 日本 ", "times": 2_000},
]

BERT_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA_SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def expand(text):
    return text["text"] * text.get("times", 1)


def fnv(ids):
    """FNV-1a over the ids as little-endian 32-bit numbers."""
    hash = 0xCBF29CE484222325
    for id in ids:
        for byte in id.to_bytes(4, "little"):
            hash = (hash ^ byte) * 0x100000001B3 % 2**64
    return f"{hash:016x}"


def golden(tokenizer):
    """What a tokenizer of `transformers` makes of each text: ids, pieces, bytes; byte offsets cover whole characters."""
    backend = tokenizer.backend_tokenizer
    backend.no_padding()
    backend.no_truncation()
    texts = []
    for text in TEXTS:
        text = expand(text)
        starts = [0]
        for character in text:
            starts.append(starts[-1] + len(character.encode()))
        encoding = backend.encode(text)
        added = [sequence is None for sequence in encoding.sequence_ids]
        offsets = [
            [0, 0] if is_added else [starts[start], starts[max(start, end)]]
            for (start, end), is_added in zip(encoding.offsets, added)
        ]
        texts.append({"ids": encoding.ids, "bytes": [end for pair in offsets for end in pair]})
    long_texts = []
    for text in LONG_TEXTS:
        ids = backend.encode(expand(text)).ids
        long_texts.append({"tokens": len(ids), "hash": fnv(ids)})
    roles = ["mask", "cls", "sep", "unk", "bos", "eos", "pad"]
    special = {role: getattr(tokenizer, f"{role}_token_id") for role in roles}
    used = sorted({id for text in texts for id in text["ids"]})
    pieces = {id: tokenizer.convert_ids_to_tokens(id) for id in used}
    return {"special": special, "pieces": pieces, "texts": texts, "long": long_texts}


def write(folder, files):
    for name, content in files.items():
        if isinstance(content, (dict, list)):
            content = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        if isinstance(content, str):
            content = content.encode()
        (folder / name).write_bytes(content)


def record(name, files, sets, config=None):
    """Writes the files of a tokenizer, and what each set of them gives. `config` is the model's configuration."""
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    write(folder, files)
    entries = []
    for names in sets:
        alone = Path("/tmp/tokenizer-alone")
        shutil.rmtree(alone, ignore_errors=True)
        alone.mkdir()
        for file in names:
            shutil.copy(folder / file, alone)
        if config:
            write(alone, {"config.json": config})
        if "tokenizer.json" in names:
            # The tokenizer as the file has it: the classes of transformers rebuild it from parts.
            backend = Tokenizer.from_file(str(alone / "tokenizer.json"))
            tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **special_settings(alone))
        else:
            tokenizer = transformers.AutoTokenizer.from_pretrained(alone)
        found = golden(tokenizer)
        same = next((entry for entry in entries if entry["golden"] == found), None)
        if same:
            same["sets"].append(names)
        else:
            entries.append({"sets": [names], "golden": found})
    if config:
        write(folder, {"config.json": config})
    write(folder, {"golden.json": entries})
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"{name:16} {size / 1000:8.1f} kB, {len(entries)} of {len(sets)} sets differ")


def special_settings(folder):
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text()) if path.exists() else {}
    return {key: value for key, value in settings.items() if key.endswith("_token")}


def special_tokens(names):
    return {f"{role}_token": token for role, token in names.items()}


BERT_ROLES = special_tokens(dict(pad="[PAD]", unk="[UNK]", cls="[CLS]", sep="[SEP]", mask="[MASK]"))
ROBERTA_ROLES = special_tokens(
    dict(bos="<s>", eos="</s>", cls="<s>", sep="</s>", unk="<unk>", pad="<pad>", mask="<mask>")
)


def json_of(tokenizer):
    return json.loads(tokenizer.to_str())


def word_piece(special, lower_case, size=500):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower_case)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(LINES, trainer)
    return tokenizer


def lines_of(vocabulary):
    return "".join(f"{piece}\n" for piece, _ in sorted(vocabulary.items(), key=lambda entry: entry[1]))


def bert():
    for name, lower_case in [("bert-uncased", True), ("bert-cased", False)]:
        tokenizer = word_piece(BERT_SPECIAL, lower_case)
        vocabulary = tokenizer.get_vocab()
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
        )
        # As MiniLM's file has it, which must be ignored.
        tokenizer.enable_truncation(16)
        tokenizer.enable_padding(length=16)
        settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": lower_case, **BERT_ROLES}
        files = {
            "vocab.txt": lines_of(vocabulary),
            "tokenizer.json": json_of(tokenizer),
            "tokenizer_config.json": settings,
        }
        sets = [["tokenizer.json"], ["vocab.txt", "tokenizer_config.json"]]
        record(name, files, sets, {"model_type": "bert"})


def mpnet():
    tokenizer = word_piece(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"], True, 400)
    record("mpnet", {"vocab.txt": lines_of(tokenizer.get_vocab())}, [["vocab.txt"]], {"model_type": "mpnet"})


def byte_pairs(special, size=560, prefix_space=False):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(LINES, trainer)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def vocabulary_and_merges(tokenizer):
    model = json_of(tokenizer)["model"]
    merges = "#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in model["merges"])
    return {"vocab.json": model["vocab"], "merges.txt": merges}


def gpt2():
    tokenizer = byte_pairs(["<|endoftext|>"])
    files = vocabulary_and_merges(tokenizer)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    files["tokenizer.json"] = json_of(tokenizer)
    record("gpt2", files, [["tokenizer.json"], ["vocab.json", "merges.txt"]], {"model_type": "gpt2"})


def roberta():
    tokenizer = byte_pairs(ROBERTA_SPECIAL)
    files = vocabulary_and_merges(tokenizer)
    mask = AddedToken("<mask>", lstrip=True, special=True, normalized=False)
    tokenizer.add_special_tokens([mask])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    files["tokenizer.json"] = json_of(tokenizer)
    files["special_tokens_map.json"] = {
        **ROBERTA_ROLES,
        "mask_token": {
            "content": "<mask>",
            "lstrip": True,
            "rstrip": False,
            "normalized": False,
            "single_word": False,
        },
    }
    files_alone = ["vocab.json", "merges.txt"]
    sets = [["tokenizer.json"], [*files_alone, "special_tokens_map.json"], files_alone]
    record("roberta", files, sets, {"model_type": "roberta"})


def opt():
    files = vocabulary_and_merges(byte_pairs(["<s>", "<pad>", "</s>", "<unk>"], 420))
    files["tokenizer_config.json"] = {
        "tokenizer_class": "GPT2Tokenizer",
        "add_bos_token": True,
        **special_tokens(dict(bos="</s>", eos="</s>", unk="</s>", pad="<pad>")),
    }
    record("opt", files, [list(files)], {"model_type": "opt"})


def deberta():
    files = vocabulary_and_merges(byte_pairs(["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"], 420))
    record("deberta", files, [list(files)], {"model_type": "deberta"})


def qwen2():
    tokenizer = byte_pairs(["<|endoftext|>"], 420)
    files = vocabulary_and_merges(tokenizer)
    size = tokenizer.get_vocab_size()
    added = ["<|im_start|>", "<|im_end|>"]
    files["tokenizer_config.json"] = {
        "tokenizer_class": "Qwen2Tokenizer",
        "added_tokens_decoder": {
            str(size + at): {
                "content": content,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "single_word": False,
                "special": True,
            }
            for at, content in enumerate(added)
        },
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "unk_token": None,
        "bos_token": None,
    }
    record("qwen2", files, [list(files)], {"model_type": "qwen2"})


def gpt():
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.BpeTrainer(
        vocab_size=420, special_tokens=["<unk>"], end_of_word_suffix="</w>", show_progress=False
    )
    tokenizer.train_from_iterator(LINES, trainer)
    files = vocabulary_and_merges(tokenizer)
    record("gpt", files, [list(files)], {"model_type": "openai-gpt"})


def gpt_neox():
    tokenizer = byte_pairs(["<|endoftext|>", "<|padding|>"])
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.add_tokens([AddedToken(" " * length, normalized=True) for length in range(24, 1, -1)])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    record("gpt-neox", {"tokenizer.json": json_of(tokenizer)}, [["tokenizer.json"]])


def modernbert():
    tokenizer = byte_pairs(["<|padding|>", "<|endoftext|>"])
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.add_tokens([AddedToken(" " * length, normalized=True) for length in range(24, 1, -1)])
    special = [AddedToken(token, special=True, normalized=False) for token in ["[UNK]", "[CLS]", "[SEP]", "[PAD]"]]
    tokenizer.add_special_tokens([*special, AddedToken("[MASK]", lstrip=True, special=True, normalized=False)])
    ids = [(token, tokenizer.token_to_id(token)) for token in ["[CLS]", "[SEP]"]]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=ids
    )
    tokenizer.enable_truncation(16)
    files = {"tokenizer.json": json_of(tokenizer), "tokenizer_config.json": BERT_ROLES}
    record("modernbert", files, [["tokenizer.json", "tokenizer_config.json"]])


def llama():
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=620, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator([f"▁{word}" for line in LINES for word in line.split()], trainer)
    # The bytes are pieces, not tokens of their own.
    described = json_of(tokenizer)
    described["added_tokens"] = described["added_tokens"][:3]
    described["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
    }
    settings = special_tokens(dict(bos="<s>", eos="</s>", unk="<unk>"))
    files = {"tokenizer.json": described, "tokenizer_config.json": settings}
    record("llama", files, [["tokenizer.json", "tokenizer_config.json"]])


def llama3():
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    words = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(words), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=420, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(LINES, trainer)
    tokenizer.add_special_tokens(["<|begin_of_text|>", "<|end_of_text|>"])
    begin = tokenizer.token_to_id("<|begin_of_text|>")
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=True),
            processors.TemplateProcessing(
                single="<|begin_of_text|> $A",
                pair="<|begin_of_text|> $A $B",
                special_tokens=[("<|begin_of_text|>", begin)],
            ),
        ]
    )
    settings = special_tokens(dict(bos="<|begin_of_text|>", eos="<|end_of_text|>"))
    files = {"tokenizer.json": json_of(tokenizer), "tokenizer_config.json": settings}
    record("llama3", files, [["tokenizer.json", "tokenizer_config.json"]])


# Rules of a small map of characters: the published one, for all of Unicode's compatible characters, has 0.3 MB.
RULES = {"\t": " ", "\n": " ", "\r": " ", "\u00a0": " ", "\u3000": " ", "ﬁ": "fi", "½": "1/2", "Ａ": "A", "\u200b": ""}
RULES.update({chr(0xFF21 + letter): chr(0x41 + letter) for letter in range(26)})


def sentence_piece(size=420, **settings):
    def codes(text):
        return " ".join(f"{ord(character):X}" for character in text)

    rules = "".join(f"{codes(before)}\t{codes(after)}\n" for before, after in RULES.items())
    path = Path("/tmp/rules.tsv")
    path.write_text(rules)
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=file,
        vocab_size=size,
        normalization_rule_tsv=str(path),
        minloglevel=2,
        num_threads=1,
        **settings,
    )
    return file.getvalue()


def t5():
    model = sentence_piece(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    settings = {"tokenizer_class": "T5Tokenizer", "extra_ids": 100}
    files = {"spiece.model": model, "tokenizer_config.json": settings}
    record("t5", files, [["spiece.model"], list(files)], {"model_type": "t5"})


def albert():
    model = sentence_piece(pad_id=0, unk_id=1, bos_id=-1, eos_id=-1, control_symbols=["[CLS]", "[SEP]", "[MASK]"])
    record("albert", {"spiece.model": model}, [["spiece.model"]], {"model_type": "albert"})


def deberta_v2():
    model = sentence_piece(
        pad_id=0, bos_id=1, eos_id=2, unk_id=3, pad_piece="[PAD]", bos_piece="[CLS]", eos_piece="[SEP]", unk_piece="[UNK]"
    )
    record("deberta-v2", {"spm.model": model}, [["spm.model"]], {"model_type": "deberta-v2"})


def xlm_roberta():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    )
    trainer = trainers.UnigramTrainer(
        vocab_size=420, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(LINES, trainer)
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    files = {"tokenizer.json": json_of(tokenizer), "tokenizer_config.json": ROBERTA_ROLES}
    record("xlm-roberta", files, [["tokenizer.json", "tokenizer_config.json"]])


if __name__ == "__main__":
    write(HERE, {"texts.json": {"texts": TEXTS, "long": [{**text, "text": None} if text["text"] == TRAINING else text for text in LONG_TEXTS]}})
    for make in [
        bert, mpnet, gpt2, roberta, opt, deberta, qwen2, gpt, gpt_neox, modernbert, llama, llama3, t5, albert, deberta_v2,
        xlm_roberta,
    ]:
        make()
