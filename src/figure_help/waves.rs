//! Guides of the waves view: waves in tables, queries and keys. Figures of a table are on the left, those of a model's
//! heads on the right.

use super::{
    Guide,
    Paper::{LearnedEmbeddings, SinusoidLikeWaves},
    Source, cite,
};

pub(super) fn guide(figure: &str) -> Option<Guide> {
    Some(match figure {
        "sinusoid-test" => SINUSOID_TEST,
        "spectrum" => SPECTRUM,
        "spectrum-columns" => SPECTRUM_COLUMNS,
        "columns" => COLUMNS,
        "column-spectra" => COLUMN_SPECTRA,
        "components" => COMPONENTS,
        "component-waves" => COMPONENT_WAVES,
        "component-path" => COMPONENT_PATH,
        "density" => DENSITY,
        "value-histogram" => VALUE_HISTOGRAM,
        "head-waves" => HEAD_WAVES,
        "head-cross-correlation" => HEAD_CROSS_CORRELATION,
        "head-cross-covariance" => HEAD_CROSS_COVARIANCE,
        "head-rotation" => HEAD_ROTATION,
        "layer-spectrum" => LAYER_SPECTRUM,
        "head-clusters" => HEAD_CLUSTERS,
        "cluster-traces" => CLUSTER_TRACES,
        _ => return None,
    })
}

const COLUMNS_IN_THE_POST: &[Source] = &[cite(
    LearnedEmbeddings,
    "section “Embedding visualizations”",
    "Draws columns of a learned table along position beside their Fourier transforms, and the same of a sinusoidal table.",
)];

const SINUSOID_TEST: Guide = Guide {
    question: "Was this table learned, or is it a sinusoidal one?",
    reading: "The first bars are the variance that a few sinusoids explain, with a mark for random numbers. The others are 1 − the distance to each computed table: a full bar is the same table.",
    look_for: "A full bar says sinusoidal, whatever the order of the columns. MiniLM’s table is at no layout, and still eight frequencies explain about two thirds of it.",
    sources: &[cite(
        LearnedEmbeddings,
        "section “Embedding visualizations”",
        "Sets a learned table beside the sinusoidal one by eye; this test puts numbers to it.",
    )],
};

const SPECTRUM: Guide = Guide {
    question: "Which waves run along the positions of this table?",
    reading: "Across is the frequency in waves over the whole table, upwards the mean of |DFT| over all columns; the shade holds the middle half of them. The dashed line is the sinusoidal table, scaled to the same norm.",
    look_for: "Narrow peaks are waves that many columns share. The sinusoidal table has no such peaks, for its frequencies are spread over all scales.",
    sources: &[cite(
        SinusoidLikeWaves,
        "section 4.1, equation 9, Figures 3 and 13",
        "Spectra of RoBERTa’s table and of others: encoders have peaks, GPT-2 is highest at the lowest frequencies.",
    )],
};

const SPECTRUM_COLUMNS: Guide = Guide {
    question: "Do all columns share the same waves?",
    reading: "A row is a column of the table, across is the frequency; the colour is |DFT| of that column.",
    look_for: "Vertical lines are frequencies that many columns share. In a sinusoidal table each column has a frequency of its own, and the bright cells make a curve.",
    sources: &[cite(
        SinusoidLikeWaves,
        "section 4.1 and Figure 3",
        "Gives the mean and the quartiles over the columns; here every column is shown.",
    )],
};

const COLUMNS: Guide = Guide {
    question: "What does one dimension do along the positions?",
    reading: "Each line is one column of the table over the position, one of those with the strongest waves, drawn at random, or chosen by number.",
    look_for: "Count how many waves a column has over the table; the figure beside it has a peak at that frequency.",
    sources: COLUMNS_IN_THE_POST,
};

const COLUMN_SPECTRA: Guide = Guide {
    question: "How pure are the waves of these columns?",
    reading: "Each line is |DFT| of the column of the same colour, over the frequency in waves over the whole table.",
    look_for: "A sine is a single peak. Noise beside it is what the column holds of each position alone.",
    sources: COLUMNS_IN_THE_POST,
};

const COMPONENTS: Guide = Guide {
    question: "How many dimensions does the table need for its positions?",
    reading: "Across are the principal components of the table, the strongest first. One line is the share of the variance that each explains, the other what they explain together.",
    look_for: "Look where the line passes 0.9: a table made of a few waves gets there with few components, a random one with nearly all.",
    sources: &[cite(
        SinusoidLikeWaves,
        "appendix A and Figure 12",
        "The cumulative contribution of the principal components of learned tables.",
    )],
};

const COMPONENT_WAVES: Guide = Guide {
    question: "What are the strongest directions of the table made of?",
    reading: "Each line is one of the leading principal components over the position.",
    look_for: "Two components with the same frequency, a quarter of a wave apart, are a sine and its cosine.",
    sources: &[],
};

const COMPONENT_PATH: Guide = Guide {
    question: "Which way do positions take through the space of the table?",
    reading: "A line joins the positions in their order; across and upwards are the two chosen principal components. In space, drag the picture or turn it by its sliders; what lies behind is drawn thinner.",
    look_for: "A circle is a pair of sine and cosine: going round it once is one wave. A path that only goes one way is a trend from the first position to the last.",
    sources: &[],
};

const DENSITY: Guide = Guide {
    question: "How large are the numbers that make up a position?",
    reading: "Across is the position, upwards the value; the colour is how densely the numbers of that position lie about the value.",
    look_for: "Look for positions that differ from all others, as first ones often do, and for rows that training has hardly touched: they stay narrow.",
    sources: &[cite(
        LearnedEmbeddings,
        "section “Density”",
        "Density maps of a learned and of a sinusoidal table over the positions.",
    )],
};

const VALUE_HISTOGRAM: Guide = Guide {
    question: "Are the numbers of the table spread as a Gaussian is?",
    reading: "One series is the density of all numbers of the table by value, the other a Gaussian of the same mean and variance.",
    look_for: "Tails above the Gaussian are a few large numbers. Sines are most often near their ends, so a sinusoidal table is highest at −1 and 1.",
    sources: &[],
};

const HEAD_WAVES: Guide = Guide {
    question: "Which waves of the positions does this head pick out?",
    reading: "Each strip is a pair of columns of queries and keys over the position, after both are redefined by the singular vectors of their product; the number is the singular value, which weighs the pair.",
    look_for: "Where the key’s line is the query’s moved to one side, the head looks that far to that side. Strips come in pairs of sine and cosine.",
    sources: &[cite(
        SinusoidLikeWaves,
        "section 4.2.1, equations 13 to 16, and Figure 5",
        "Redefines queries and keys like this, on the hidden states of a text; here they are of positions alone.",
    )],
};

const HEAD_CROSS_CORRELATION: Guide = Guide {
    question: "At which offset does each pair of columns match best?",
    reading: "Each line is the cross-correlation of one column of the queries with its partner among the keys, over the offset k, less its mean over the offsets drawn.",
    look_for: "A single line peaks again with every wave. Only where the peaks of many lines meet is there one offset for the whole head.",
    sources: &[cite(
        SinusoidLikeWaves,
        "section 4.3, equation 20, Figures 7 and 9",
        "Cross-correlations of RoBERTa’s heads. Over which offsets the mean is taken is not said there; here it is |t| ≤ 20, those drawn.",
    )],
};

const HEAD_CROSS_COVARIANCE: Guide = Guide {
    question: "Which offset is left when all columns are added up?",
    reading: "The line is the sum of all cross-covariances, each weighed by its singular value, over the offset k. It equals the sum of the head’s scores along each diagonal.",
    look_for: "The highest peak is the offset at which this head’s scores are greatest in all; the figure says how closely both sides of the identity agree.",
    sources: &[cite(
        SinusoidLikeWaves,
        "section 4.3, equations 19 and 21 to 23, and Figure 8",
        "Defines the cross-covariance and shows that the trace of the scores at an offset is this weighted sum.",
    )],
};

const HEAD_ROTATION: Guide = Guide {
    question: "Are the keys of this head its queries, some tokens on?",
    reading: "Across is the frequency, upwards the angle θ by which a direction is turned from queries to keys; the colour is how much of that frequency it holds. The line, where there is one, has one offset for all frequencies.",
    look_for: "A line is drawn if its coherence is at least 0.5 and beats 99 sets of random angles, and the profile peaks within a token of it. In MiniLM’s layer 1, head 3 the shift is 0.96, and its profile peaks at −1.",
    sources: &[
        cite(
            SinusoidLikeWaves,
            "section 4.4, equations 24 to 27, and Figure 10",
            "The same picture of RoBERTa’s heads. How the singular vectors are completed is not said there; here it is the completion that turns least.",
        ),
        cite(
            SinusoidLikeWaves,
            "section 4.4, equation 25, and appendix D, equations 28 to 31",
            "The proof gives K_t = Q_{t+Δ}, and this page follows it. Equation 25 prints the opposite sign, Q_t = K_{t+Δ}.",
        ),
    ],
};

const LAYER_SPECTRUM: Guide = Guide {
    question: "Do queries and keys keep the waves of the positions?",
    reading: "A row is a layer, across is the frequency; the colour is the highest |DFT| of any column in any head of the layer.",
    look_for: "Bright columns stand where the table’s spectrum has its peaks. Here every layer gets the table itself, so what fades in the paper’s figure need not fade here.",
    sources: &[cite(
        SinusoidLikeWaves,
        "section 4.2.2, equations 17 and 18, and Figure 6",
        "The same of hidden states of a text, where some peaks are gone in the upper layers.",
    )],
};

const HEAD_CLUSTERS: Guide = Guide {
    question: "Which heads do the same by position alone?",
    reading: "A row is a layer, a column a head. Heads of one colour are of one group, by the shares of their attention at the offsets from −10 to 10; each group is named by what it does.",
    look_for: "Look in which layers heads attend to a neighbour. Another seed tells whether groups are there, or only cut so.",
    sources: &[cite(
        SinusoidLikeWaves,
        "section 3, equations 7 and 8, and Figure 2",
        "Clusters the same numbers, of attention in 100 texts; here no text is needed.",
    )],
};

const CLUSTER_TRACES: Guide = Guide {
    question: "Where do the heads of each group look?",
    reading: "Each line is the mean over the heads of a group of the share of attention that goes to each offset from −10 to 10.",
    look_for: "A peak left of 0 looks back, one right of 0 ahead; a flat and low line spreads its attention over the whole text.",
    sources: &[cite(
        SinusoidLikeWaves,
        "section 3, equations 7 and 8, and Figure 2",
        "Means of the clusters are what its heads are told apart by.",
    )],
};
