//! Marks of the criteria table, with an argument for each mark.

use super::Verdict::{self, No, NoBut, Yes, YesBut};

/// Rows and columns in the order of [`super::WAYS`] and [`super::CRITERIA`].
pub(super) static ARGUMENTS: [[(Verdict, &str); 6]; 9] = [
    // Sinusoidal
    [
        (
            YesBut,
            "The table is a formula: row 5000 is computed like row 5. Whether the maps behind it, trained on short texts, know what to do with such rows is another question; in practice they often do not.",
        ),
        (
            No,
            "Frequencies and phases are fixed by hand. What queries and keys make of them is learned, but that is learned for words too and not counted here.",
        ),
        (Yes, "Nothing is stored and nothing is learned."),
        (
            NoBut,
            "The inner products of the rows are exactly translation invariant. The mark is about scores: between the rows stand the maps to queries and keys, which mix sines, cosines and frequencies, and then the offset no longer says it all.",
        ),
        (
            Yes,
            "The table is added to the input once, for all positions at the same time.",
        ),
        (
            No,
            "What a head makes of position is spread over all frequencies and both maps. Move one number of the query map, and nearly every score moves.",
        ),
    ],
    // Learned absolute
    [
        (
            No,
            "There is one row for each position of training. For the next position there is none.",
        ),
        (
            Yes,
            "Every row is learned. With enough columns, rows and maps can bring about any matrix of scores.",
        ),
        (
            No,
            "Each further position costs a whole row: n times d numbers.",
        ),
        (
            No,
            "Nothing ties one row to the next. That training brings such tables near translation invariance all the same is what the paper finds: hold the untrained table here against an open model.",
        ),
        (Yes, "Rows are looked up and added, all at once."),
        (
            No,
            "A row says nothing alone. One number of it moves a row and a column of scores, by amounts that all other rows decide.",
        ),
    ],
    // Relative, Shaw et al.
    [
        (
            NoBut,
            "Offsets beyond the clip share the two outermost vectors. So there is a score at any length, but nothing in it tells distances beyond the clip apart. Who asks only whether it goes on may mark it otherwise.",
        ),
        (
            Yes,
            "Each offset within the clip has a vector that is learned; the two outermost must serve for all others.",
        ),
        (
            Yes,
            "Vectors for 33 offsets, for keys and for values, shared by the heads of a layer. How long texts are does not matter.",
        ),
        (
            Yes,
            "The vector is chosen by j − i alone, so the same query everywhere gives the same score along a diagonal. All positions have the same content here.",
        ),
        (
            NoBut,
            "As published, each query meets a key of its own for each position: n²·d numbers a head where others hold n². Huang et al. (2018) reorder the product and need only n·d; then little is left to object.",
        ),
        (
            No,
            "A score is a query times a vector, so what an offset is worth depends on the word that asks. One number of a vector moves a diagonal, for every query by another amount.",
        ),
    ],
    // T5
    [
        (
            NoBut,
            "From distance 128 on all offsets share the last bucket. There is a score at any length, but far away always the same one, and buckets that training never met are untrained. Who asks only whether it goes on may mark it otherwise.",
        ),
        (
            Yes,
            "Each bucket has a score that is learned. Near offsets have a bucket each; far ones share.",
        ),
        (
            Yes,
            "A score for each of 32 buckets and each head, the same in all layers.",
        ),
        (
            Yes,
            "The bucket is chosen by j − i alone, so the scores are constant along diagonals whatever was learned.",
        ),
        (
            Yes,
            "One score for each of 2n − 1 offsets, looked up and added.",
        ),
        (
            Yes,
            "A learned number is what it seems to be: how much a head cares for a range of offsets. Ask for an offset and read its bucket.",
        ),
    ],
    // Flow-based
    [
        (
            Yes,
            "Positions are points of a path that follows a learned differential equation. It can be followed as far as one likes.",
        ),
        (
            Yes,
            "The equation is learned. Even a linear one can turn planes at speeds of its own choice and take over the strongest waves of a target.",
        ),
        (
            YesBut,
            "The equation has the same parameters however long texts are. But it is a network: with one hidden layer as wide as the model it has 2d² + 3d of them, more than the table it replaces unless texts are very long.",
        ),
        (
            No,
            "The step from i to i + k differs with i, unless the equation happens to be a rotation. What is drawn follows an untrained one.",
        ),
        (
            No,
            "Position i + 1 can only be computed from position i: as many steps one after the other as there are positions.",
        ),
        (
            No,
            "One weight of the equation bends the path from the first step on, and with it all scores.",
        ),
    ],
    // Synthesizer
    [
        (
            No,
            "In the variant drawn here the scores are a learned matrix. Outside it there are none.",
        ),
        (Yes, "Every score is a number of its own, and learned."),
        (
            YesBut,
            "Its factorized variants learn two thin factors of the scores in place of all n² (Tay et al., “Factorized Random”). The variant drawn here learns all n² for each head of each layer: four times as many for texts twice as long.",
        ),
        (
            No,
            "Nothing ties the n² numbers to one another. By chance alone the diagonals explain about 2/n of their variance.",
        ),
        (
            Yes,
            "The scores are there before a word is read; queries and keys are not even multiplied.",
        ),
        (
            No,
            "Each number moves one score and can be looked up, but none says anything about another: there is no law to read off n² numbers.",
        ),
    ],
    // Untied
    [
        (
            No,
            "Positions have a table and maps of their own, and the table ends at its last row.",
        ),
        (
            Yes,
            "Table and maps are learned, apart from those of the words.",
        ),
        (
            No,
            "A table like any other, and two maps of d times d numbers for it.",
        ),
        (
            No,
            "A position's row, two maps, another row: nothing in that looks at j − i. Ke et al. also offer to add T5's buckets, which does not make the sum constant along diagonals.",
        ),
        (
            Yes,
            "The scores of positions are one product, computed once for every text.",
        ),
        (
            No,
            "As for any learned table: one number of a row moves a row and a column of scores, by amounts that maps and other rows decide.",
        ),
    ],
    // Rotary
    [
        (
            YesBut,
            "Position i is an angle, and there is one for every i. How well a trained model takes angles it has never met is another question; long texts often need angles stretched anew.",
        ),
        (
            No,
            "The speeds of rotation are fixed by hand. What queries and keys do with them is learned, but that is learned for words too and not counted here.",
        ),
        (Yes, "Nothing is stored and nothing is learned."),
        (
            Yes,
            "With the query turned by i and the key by j times an angle, j − i times the angle lies between them. All positions have the same content here, whichever it is.",
        ),
        (Yes, "Each query and each key is turned where it stands."),
        (
            No,
            "What an offset is worth is a sum of waves weighted by query and key. It changes with the words, and one of their numbers moves every offset.",
        ),
    ],
    // TISA
    [
        (
            Yes,
            "f(k) is a function of the offset: it has a value for every k, in training or not.",
        ),
        (
            Yes,
            "Amplitude, sharpness and centre of each kernel are learned, for each head. One kernel already takes over most of a peak.",
        ),
        (
            Yes,
            "Three numbers for each kernel. How long texts are does not matter.",
        ),
        (
            Yes,
            "The scores are made of f(j − i), so they are constant along diagonals whatever the kernels are. These are the kernels of this page, moved together.",
        ),
        (
            Yes,
            "One value of f for each of 2n − 1 offsets, computed at once and added.",
        ),
        (
            Yes,
            "A kernel says where a head looks (c), how sharply (b) and how much it cares (a). Move the three and read.",
        ),
    ],
];
