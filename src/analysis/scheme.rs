//! The schemes that the encodings view compares: ways to encode position whose contribution to a score has a profile
//! f(k) over the offset.

use super::PositionKind;

/// Identifies a position encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemeId {
    /// Vaswani et al. 2017.
    Sinusoidal,
    /// The open model's position table, or its equivalent.
    Learned,
    /// The open head.
    Head,
    /// Wennberg and Henter 2021.
    Tisa,
    /// Press et al. 2022.
    Alibi,
    /// Raffel et al. 2020.
    T5,
    /// Shaw et al. 2018.
    Shaw,
    /// Su et al. 2021.
    Rotary,
    /// Dai et al. 2019.
    TransformerXl,
    /// He et al. 2021.
    Deberta,
    /// Black et al. 2022.
    PartialRotary,
    /// Kazemnejad et al. 2023.
    NoPositions,
    /// Chi et al. 2022.
    Kerple,
    /// Li et al. 2024.
    Fire,
    /// Gopalakrishnan et al. 2025.
    Pope,
}

/// Description of a scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheme {
    /// Identifier in code.
    pub which: SchemeId,
    /// Short name, stable in links and columns.
    pub id: &'static str,
    /// Name on the page.
    pub title: &'static str,
    /// Definition of f(k) in one sentence.
    pub about: &'static str,
    /// Model families whose scores by offset belong to this scheme.
    families: &'static [&'static str],
}

/// All schemes in reading order, for menu, figure, links and tests.
pub const SCHEMES: &[Scheme] = &[
    Scheme {
        which: SchemeId::Sinusoidal,
        id: "sinusoidal",
        title: "Sinusoidal",
        about: "Inner product of two rows of the fixed table (Vaswani et al. 2017).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Learned,
        id: "learned",
        title: "Open model",
        about: "Diagonal means of the open model’s position matrix.",
        families: &[],
    },
    Scheme {
        which: SchemeId::Head,
        id: "head",
        title: "Open head",
        about: "Diagonal means of the open head’s positional scores.",
        families: &[],
    },
    Scheme {
        which: SchemeId::Tisa,
        id: "tisa",
        title: "TISA",
        about: "The kernels of the kernels view (Wennberg and Henter 2021, eq. 5).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Alibi,
        id: "alibi",
        title: "ALiBi",
        about: "Minus distance times the head’s slope; nothing learned (Press et al. 2022).",
        families: &[],
    },
    Scheme {
        which: SchemeId::T5,
        id: "t5",
        title: "T5 buckets",
        about: "One score per bucket; buckets widen with distance (Raffel et al. 2020).",
        families: &["T5", "MPNet"],
    },
    Scheme {
        which: SchemeId::Shaw,
        id: "shaw",
        title: "Shaw, clipped",
        about: "The product of a query and the vector of the offset, constant beyond ±K (Shaw et al. 2018).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Rotary,
        id: "rotary",
        title: "Rotary",
        about: "Mean product of equal pairs after rotation. Dashed: its envelope over all angles between them (Su et al. 2021).",
        families: &[],
    },
    Scheme {
        which: SchemeId::TransformerXl,
        id: "transformer-xl",
        title: "Transformer-XL",
        about: "The product of a vector and the sinusoid of the distance, v·W·R, term (d); v and W untrained (Dai et al. 2019).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Deberta,
        id: "deberta",
        title: "DeBERTa",
        about: "The product of content and the embedding of the distance’s bucket (He et al. 2021).",
        families: &["DeBERTa"],
    },
    Scheme {
        which: SchemeId::PartialRotary,
        id: "rotary-partial",
        title: "Rotary, partial",
        about: "The same with some columns of a head rotated and the others left as they are, as in GPT-NeoX (Black et al. 2022). Width, base and scaling are those of rotary.",
        families: &[],
    },
    Scheme {
        which: SchemeId::NoPositions,
        id: "nope",
        title: "None (NoPE)",
        about: "No offset changes a score, so f is zero. SmolLM3 and Llama 4 leave every fourth layer so; a causal mask alone still tells first from last (Kazemnejad et al. 2023).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Kerple,
        id: "kerple",
        title: "KERPLE",
        about: "Minus r₁·ln(1 + r₂·|k|), or minus r₁ times a power of distance; r₁ and r₂ learned (Chi et al. 2022).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Fire,
        id: "fire",
        title: "FIRE",
        about: "A learned function of ln(c·distance + 1) / ln(c·max(L, i) + 1): later queries i count distance for less, so this is no Toeplitz matrix. The line is one query’s row, the dashed line the mean of each diagonal; no keys ahead (Li et al. 2024).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Pope,
        id: "pope",
        title: "PoPE",
        about: "Mean over a head’s columns of cos(k·θ + δ): content sets lengths, position sets angles, and the shifts δ are learned. Width and base are those of rotary (Gopalakrishnan et al. 2025).",
        families: &[],
    },
];

/// Scheme of an open model's profile: that of its family if positions are scores by offset, else [`SchemeId::Learned`].
#[must_use]
pub fn scheme_of(family: &str, kind: PositionKind) -> SchemeId {
    SCHEMES
        .iter()
        .find(|scheme| kind == PositionKind::Line && scheme.families.contains(&family))
        .map_or(SchemeId::Learned, |scheme| scheme.which)
}
