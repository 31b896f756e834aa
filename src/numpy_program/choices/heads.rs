//! Constants of the heads view.

use super::{Choices, Literal};
use crate::{
    analysis::{BudgetSource, ScoreMode, WORD_DRAWS},
    figure::FrequencyColours,
    math::AttentionMask,
    url_state::{RankingR2, TermWords},
};

pub(super) const CONSTANTS: &[(&str, &str)] = &[
    (
        "AS_COMPUTED",
        "as the model computes scores, or TISA eqs. 9 to 12",
    ),
    ("LAYER", "from 0"),
    ("HEAD", "from 0"),
    ("SECOND", "layer and head of the second head, from 0"),
    ("CAUSAL", "whether queries see earlier keys alone"),
    ("R2", "the R² of the grid"),
    ("ALL_LAYERS", "whether entropies of all layers are shown"),
    (
        "FITS",
        "layer, head, R² that was given up, intercept, kernels (a, b, c)",
    ),
    ("SEAM", "first position behind the seam of the table"),
    ("DRAWS", "draws of random words"),
    ("TEXT", "token ids of the last text"),
    (
        "TERM_WORDS",
        "words at the positions: mean, random, or their ids",
    ),
    ("DRAW", "seed of random words"),
    (
        "MEAN_TEXT",
        "ids of the tokens of the text behind mean queries and keys",
    ),
    (
        "MEAN_TOKENS",
        "their places without the first and special ones",
    ),
    ("BUDGET", "words over which scores vary"),
    ("COLOURS", "the energies of a pair"),
];

impl Choices {
    pub(super) fn heads_constant(&self, name: &str) -> Option<String> {
        let heads = &self.link.heads;
        let head = self.head;
        Some(match name {
            "AS_COMPUTED" => (heads.mode == ScoreMode::AsComputed).literal(),
            "LAYER" => head?.0.literal(),
            "HEAD" => head?.1.literal(),
            "SECOND" => self.second?.literal(),
            "CAUSAL" => (self.cells == AttentionMask::Causal).literal(),
            "R2" => match heads.r2 {
                RankingR2::Scores => "scores",
                RankingR2::WithoutRowMeans => "centred",
                RankingR2::Attention => "attention",
            }
            .literal(),
            "ALL_LAYERS" => heads.all_entropies.literal(),
            "SEAM" => self.seam(self.rows().min(MOST_SECTIONED)).literal(),
            "DRAWS" => match self.table.column("random_words") {
                Some(_) => WORD_DRAWS.literal(),
                None => 0.literal(),
            },
            // The ids of the last text are not known here.
            "TEXT" if self.table.column("text").is_some() => return None,
            "TEXT" => None::<u32>.literal(),
            "TERM_WORDS" => match heads.term_words {
                TermWords::Random => "random".literal(),
                TermWords::Mean => "mean".literal(),
                TermWords::Ids => match self.word_ids() {
                    ids if ids.is_empty() => "mean".literal(),
                    ids => ids.literal(),
                },
            },
            "DRAW" => heads.draw.literal(),
            "BUDGET" => match heads.budget {
                BudgetSource::Words if self.has_text_means() => "text",
                BudgetSource::Words => "words",
                BudgetSource::Text(_) => "text",
                BudgetSource::Weights => "weights",
            }
            .literal(),
            "COLOURS" => match heads.frequencies.colours {
                FrequencyColours::StoredShare => "stored share",
                FrequencyColours::Share
                | FrequencyColours::Bound
                | FrequencyColours::Concentration => "share",
            }
            .literal(),
            // Fits are known to the view alone.
            "FITS" if self.table.column("fit").is_some() => return None,
            "FITS" => None::<u32>.literal(),
            _ => return None,
        })
    }

    /// The first position behind the seam of the table, if it is before `end`.
    pub(super) fn seam(&self, end: usize) -> Option<usize> {
        let breaks = &self.summary.as_ref()?.breaks;
        let seam = breaks.main_seam()?.first_behind;
        Some(seam).filter(|seam| (1..end).contains(seam))
    }
}

/// Most positions of the attention from which sections are taken.
const MOST_SECTIONED: usize = 512;
