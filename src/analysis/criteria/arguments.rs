//! Marks of the criteria table, with an argument for each mark.

use super::Verdict::{self, No, NoBut, Yes, YesBut};

/// Rows and columns in the order of [`super::WAYS`] and [`super::CRITERIA`].
pub(super) static ARGUMENTS: [[(Verdict, &str); 6]; 9] = [
    // Sinusoidal
    [
        (
            YesBut,
            "The table is a formula: row 5000 is computed like row 5. Whether maps that were trained on short texts can use these rows is another question; in practice they often cannot.",
        ),
        (
            No,
            "Frequencies and phases are fixed by hand. The maps to queries and keys are learned, but for token content too, so they do not count here.",
        ),
        (Yes, "Nothing is stored and nothing is learned."),
        (
            NoBut,
            "The inner products of the rows are exactly translation invariant. The mark is about scores: the maps to queries and keys are between the rows and mix sines, cosines and frequencies, so the offset does not decide alone.",
        ),
        (
            Yes,
            "The table is added to the input once, for all positions at the same time.",
        ),
        (
            No,
            "The use of position in a head is spread over all frequencies and both maps. If one number of the query map changes, nearly every score changes.",
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
            "Every row is learned. With enough columns, rows and maps can produce any matrix of scores.",
        ),
        (
            No,
            "Each further position costs a whole row: n times d numbers.",
        ),
        (
            No,
            "No constraint ties one row to the next. The paper finds that training still brings learned tables near translation invariance: compare the untrained table here with an open model.",
        ),
        (Yes, "Rows are looked up and added, all at once."),
        (
            No,
            "A single row has no meaning alone. One number of it changes a row and a column of scores, by amounts that depend on all other rows.",
        ),
    ],
    // Relative, Shaw et al.
    [
        (
            NoBut,
            "Offsets beyond the clip share the two outermost vectors. Every length has scores, but they do not tell distances beyond the clip apart. The other mark is right if any score at any length is enough.",
        ),
        (
            Yes,
            "Each offset within the clip has a vector that is learned; the two outermost vectors are used for all others.",
        ),
        (
            Yes,
            "Vectors for 33 offsets, for keys and for values, shared by the heads of a layer. The length of texts does not matter.",
        ),
        (
            Yes,
            "The vector is chosen by j − i alone, so the same query everywhere gives the same score along a diagonal. All positions have the same content here.",
        ),
        (
            NoBut,
            "As published, each query has its own key for each position: n²·d numbers per head where other methods need n². Huang et al. (2018) reorder the product and need only n·d; this leaves little to object to.",
        ),
        (
            No,
            "A score is a query times a vector, so the score of an offset depends on the query token. One number of a vector changes a diagonal, by a different amount for every query.",
        ),
    ],
    // T5
    [
        (
            NoBut,
            "From distance 128 on all offsets share the last bucket. Every length has scores, but far offsets all have the same one, and buckets that training never used are untrained. The other mark is right if any score at any length is enough.",
        ),
        (
            Yes,
            "Each bucket has a score that is learned. Near offsets have a bucket each; far ones share buckets.",
        ),
        (
            Yes,
            "A score for each of 32 buckets and each head, the same in all layers.",
        ),
        (
            Yes,
            "The bucket is chosen by j − i alone, so the scores are constant along diagonals for any learned scores.",
        ),
        (
            Yes,
            "One score for each of 2n − 1 offsets, looked up and added.",
        ),
        (
            Yes,
            "A learned number has a direct meaning: how much a head prefers a range of offsets. Choose an offset and read its bucket.",
        ),
    ],
    // Flow-based
    [
        (
            Yes,
            "Positions are points of a path that follows a learned differential equation. The path can be followed to any length.",
        ),
        (
            Yes,
            "The equation is learned. Even a linear equation can rotate planes at any speed and match the strongest waves of a target.",
        ),
        (
            YesBut,
            "The equation has the same parameters for texts of any length. But it is a network: with one hidden layer as wide as the model it has 2d² + 3d of them, more than the table it replaces unless texts are very long.",
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
            "One weight of the equation changes the path from the first step on, and all scores with it.",
        ),
    ],
    // Synthesizer
    [
        (
            No,
            "In the variant drawn here the scores are a learned matrix. Outside the matrix there are no scores.",
        ),
        (Yes, "Every score is a number of its own, and learned."),
        (
            YesBut,
            "Its factorized variants learn two thin factors of the scores in place of all n² (Tay et al., “Factorized Random”). The variant drawn here learns all n² for each head of each layer: four times as many for texts twice as long.",
        ),
        (
            No,
            "No constraint ties the n² numbers to one another. By chance alone the diagonals explain about 2/n of their variance.",
        ),
        (
            Yes,
            "The scores are known before a token is read; queries and keys are not even multiplied.",
        ),
        (
            No,
            "Each number is one score and can be looked up, but no number says anything about another: n² numbers have no common law.",
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
            "Table and maps are learned, separately from those of token content.",
        ),
        (
            No,
            "A table like any other, and two maps of d times d numbers for it.",
        ),
        (
            No,
            "The score is a product of a row, two maps and another row, so it does not depend on j − i alone. Ke et al. can also add T5's buckets; the sum is still not constant along diagonals.",
        ),
        (
            Yes,
            "The scores of positions are one product, computed once for every text.",
        ),
        (
            No,
            "As for any learned table: one number of a row changes a row and a column of scores, by amounts that depend on maps and other rows.",
        ),
    ],
    // Rotary
    [
        (
            YesBut,
            "Position i is an angle, and there is one for every i. Whether a trained model can use angles that training never had is another question; long texts often need stretched angles.",
        ),
        (
            No,
            "The speeds of rotation are fixed by hand. The maps to queries and keys are learned, but for token content too, so they do not count here.",
        ),
        (Yes, "Nothing is stored and nothing is learned."),
        (
            Yes,
            "The query is rotated by i times an angle and the key by j times it, so they differ by j − i times the angle. All positions have the same content here, whichever it is.",
        ),
        (
            Yes,
            "Each query and each key is rotated at its own position, all in parallel.",
        ),
        (
            No,
            "The score of an offset is a sum of waves weighted by query and key. It changes with token content, and one number of a query changes every offset.",
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
            "Three numbers for each kernel. The length of texts does not matter.",
        ),
        (
            Yes,
            "The scores are made of f(j − i), so they are constant along diagonals for any kernels. These are the kernels of this page, moved together.",
        ),
        (
            Yes,
            "One value of f for each of 2n − 1 offsets, computed at once and added.",
        ),
        (
            Yes,
            "A kernel says which offset a head attends to (c), how sharply (b) and how strongly (a). Move the three numbers and read.",
        ),
    ],
];
