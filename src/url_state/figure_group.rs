//! Groups of figures that a view folds: a folded group computes nothing. Links, lessons and embedding pages that name a
//! figure unfold its group.

use super::{FigureId, Link, TermWords, WavesSection};

/// A group of figures behind one fold of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FigureGroup {
    /// The position table beside a sinusoidal one.
    TablePair,
    /// The cone below the cosines of positions.
    Continuity,
    /// Sections of all heads of a layer.
    LayerSections,
    /// Words and positions in the scores of a head, without a text.
    ScoreTerms,
    /// Content and position in the scores over a text.
    ScoreParts,
    /// Predicted tokens of a text.
    Predictions,
    /// A fit as it was computed, beside its head.
    FitBesideHead,
    /// Number of position parameters, in the kernels view.
    ParameterCounts,
    /// Waves planted in queries and keys.
    TurnedWaves,
    /// Further figures of the waves of a table.
    TableWaves,
    /// Further figures of the waves of one head.
    HeadWaves,
    /// Further figures of the waves of all heads.
    LayerWaves,
    /// Heads concatenated and projected, in the images view.
    HeadChannels,
    /// Figures of a model that is not of images, in the images view.
    TextConvolutions,
    /// Waves of the compared models on shared axes.
    ComparedWaves,
}

impl FigureGroup {
    /// All groups, in the order of the views.
    pub const ALL: [Self; 15] = [
        Self::TablePair,
        Self::Continuity,
        Self::LayerSections,
        Self::ScoreTerms,
        Self::ScoreParts,
        Self::Predictions,
        Self::FitBesideHead,
        Self::ParameterCounts,
        Self::TurnedWaves,
        Self::TableWaves,
        Self::HeadWaves,
        Self::LayerWaves,
        Self::HeadChannels,
        Self::TextConvolutions,
        Self::ComparedWaves,
    ];

    /// Identifier in links and of its element. It never changes.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::TablePair => "beside-sinusoid",
            Self::Continuity => "continuity",
            Self::LayerSections => "near-offsets",
            Self::ScoreTerms => "word-and-position",
            Self::ScoreParts => "score-parts",
            Self::Predictions => "predictions",
            Self::FitBesideHead => "fit-beside-head",
            Self::ParameterCounts => "parameters",
            Self::TurnedWaves => "turned-waves",
            Self::TableWaves => "table-waves",
            Self::HeadWaves => "head-correlations",
            Self::LayerWaves => "layer-waves",
            Self::HeadChannels => "head-channels",
            Self::TextConvolutions => "text-convolutions",
            Self::ComparedWaves => "compared-waves",
        }
    }

    /// The figures of the group.
    #[must_use]
    pub const fn figures(self) -> &'static [FigureId] {
        use FigureId as Id;
        match self {
            Self::TablePair => &[Id::TablePair],
            Self::Continuity => &[Id::LipschitzCone],
            Self::LayerSections => &[Id::LayerSections],
            Self::ScoreTerms => &[Id::ScoreTerms],
            Self::ScoreParts => &[Id::TextParts],
            Self::Predictions => &[Id::TextPredictions],
            Self::FitBesideHead => &[Id::KernelFit, Id::FitAttention, Id::FitHeadAttention],
            Self::ParameterCounts => &[Id::ParameterCount],
            Self::TurnedWaves => &[Id::PlantedWaves, Id::PlantedAttention],
            Self::TableWaves => &[
                Id::SpectrumColumns,
                Id::Components,
                Id::ComponentWaves,
                Id::ComponentPath,
                Id::Density,
                Id::ValueHistogram,
            ],
            Self::HeadWaves => &[
                Id::HeadCrossCorrelation,
                Id::HeadCrossCovariance,
                Id::RetargetHead,
                Id::RetargetAttention,
            ],
            Self::LayerWaves => &[Id::LayerSpectrum],
            Self::HeadChannels => &[Id::ConcatenatedHeads, Id::HeadRanks],
            Self::TextConvolutions => &[
                Id::HeadConvolution,
                Id::LayerConvolution,
                Id::GridSimilarity,
            ],
            Self::ComparedWaves => &[Id::CompareSpectra, Id::CompareComponents, Id::CompareShifts],
        }
    }

    /// Whether the link has a choice that only figures of the group show. Links from before groups were folded name
    /// their figures in no other way.
    fn has_choices_in(self, link: &Link) -> bool {
        let usual = WavesSection::default();
        match self {
            Self::LayerSections => link.heads.common_section_scale || link.heads.section_fits,
            Self::ScoreTerms => link.heads.term_words != TermWords::default(),
            Self::FitBesideHead => link.kernel_options.all_fit_offsets.is_some(),
            Self::ParameterCounts => !link.kernel_options.count.is_empty(),
            Self::TableWaves => {
                link.waves.path != usual.path || link.waves.seen_from != usual.seen_from
            }
            Self::HeadWaves => {
                link.waves.all_offsets != usual.all_offsets || link.waves.shift != usual.shift
            }
            Self::LayerWaves => link.waves.part != usual.part,
            Self::TablePair
            | Self::Continuity
            | Self::TurnedWaves
            | Self::ScoreParts
            | Self::Predictions
            | Self::HeadChannels
            | Self::TextConvolutions
            | Self::ComparedWaves => false,
        }
    }
}

impl Link {
    /// Returns whether a group is unfolded: the visitor unfolded it, or the link names one of its figures.
    #[must_use]
    pub fn unfolds(&self, group: FigureGroup) -> bool {
        let is_named = |figure: &FigureId| {
            let unfolded = &self.unfolded_figures;
            self.embed.figure == Some(*figure)
                || unfolded.numbers.contains(figure)
                || unfolded.guides.contains(figure)
        };
        self.unfolded_figures.groups.contains(&group)
            || group.figures().iter().any(is_named)
            || group.has_choices_in(self)
    }

    /// Unfolds a group, or folds it together with the numbers and guides of its figures.
    pub fn unfold_group(&mut self, group: FigureGroup, is_unfolded: bool) {
        let unfolded = &mut self.unfolded_figures;
        unfolded.groups.retain(|other| *other != group);
        if is_unfolded {
            unfolded.groups.push(group);
            unfolded.groups.sort_unstable();
        } else {
            let others = |figure: &FigureId| !group.figures().contains(figure);
            unfolded.numbers.retain(others);
            unfolded.guides.retain(others);
        }
    }
}
