//! Constants of the encodings view.

use super::{Choices, Literal, positions::similarity_name};
use crate::{
    analysis::{
        ExtensionKind, SCHEMES, Scheme, SchemeId, UntrainedValues, distances_among,
        permutation::{self, AddedPositions},
        scheme_of,
    },
    encoding::KerpleForm,
    figure::EncodingProfiles,
    url_state::{FigureId, View},
};

pub(super) const CONSTANTS: &[(&str, &str)] = &[
    ("SHOWN", "first and last offset that are shown"),
    ("WIDTH", "columns of the sinusoidal table"),
    ("BASE", "base of its frequencies"),
    ("ROWS", "its positions"),
    ("ALIBI_HEADS", "number of heads"),
    ("ALIBI_HEAD", "from 0"),
    ("T5_BUCKETS", "number of buckets"),
    ("T5_DISTANCE", "farthest distance with a bucket of its own"),
    ("T5_DIRECTIONS", "2 if keys ahead have their own buckets"),
    ("SHAW_REACH", "offset from which all have the same vector"),
    ("ROTARY_WIDTH", "columns of a head"),
    ("ROTARY_BASE", "base of the angles"),
    ("ROTATED_COLUMNS", "columns that turn where not all do"),
    ("FACTOR", "ratio of text length to trained length"),
    ("TRAINED_LENGTH", "tokens of a text in training"),
    ("DEBERTA_BUCKETS", "buckets of a direction"),
    (
        "DEBERTA_DISTANCE",
        "distance from which all offsets share a row",
    ),
    ("KERPLE_FORM", "logarithm or power"),
    ("KERPLE_R1", ""),
    ("KERPLE_R2", ""),
    ("FIRE_C", ""),
    ("FIRE_THRESHOLD", "length from which distances are relative"),
    ("FIRE_QUERY", "query whose scores are drawn"),
    ("DISTANCES", "distances between rows"),
    ("POSITION", "position i"),
    ("OFFSET", "offset k"),
    ("TOKENS", "tokens"),
    ("ORDER", "place before, for each place after shuffling"),
    ("WAVES", "periods of each wave over all positions"),
    ("WAVE_POSITIONS", "number of positions T"),
    ("WAVE_SHIFT", "positions between queries and keys"),
    ("WAVE_ANGLE", "radians between queries and keys"),
    ("SHARPNESS", "factor of the scores"),
];

impl Choices {
    pub(super) fn encodings_constant(&self, name: &str) -> Option<String> {
        if self.figure.views().first() != Some(&View::Encodings) {
            return None;
        }
        let choice = &self.link.encodings.choice;
        let parameters = &choice.parameters;
        let tokens = &self.link.tokens;
        let planted_waves = &self.link.encodings.planted_waves;
        Some(match name {
            "WAVES" => planted_waves.frequencies.literal(),
            "WAVE_POSITIONS" => planted_waves.length.literal(),
            "WAVE_SHIFT" => planted_waves.shift.literal(),
            "WAVE_ANGLE" => planted_waves.angle.to_radians().literal(),
            "SHARPNESS" => planted_waves.sharpness.literal(),
            "SEED" if self.has_planted_waves() => planted_waves.basis_seed?.literal(),
            "N" => parameters.n.literal(),
            "SHOWN" => {
                let (first, last) =
                    EncodingProfiles::shown_offsets(parameters.n, choice.all, self.cells);
                (first.ceil() as i64, last.floor() as i64).literal()
            }
            "WIDTH" => parameters.sinusoid.width.literal(),
            "BASE" => parameters.sinusoid.base.literal(),
            "ROWS" => parameters.sinusoid.rows.literal(),
            "ALIBI_HEADS" => parameters.alibi.heads.literal(),
            "ALIBI_HEAD" => parameters.alibi.head.literal(),
            "T5_BUCKETS" => parameters.buckets.count().literal(),
            "T5_DISTANCE" => parameters.buckets.max_distance().literal(),
            "T5_DIRECTIONS" => (1 + usize::from(parameters.buckets.is_bidirectional())).literal(),
            "SHAW_REACH" => parameters.shaw.reach.literal(),
            "ROTARY_WIDTH" => parameters.rotary.width.literal(),
            "ROTARY_BASE" => parameters.rotary.base.literal(),
            "ROTATED_COLUMNS" => parameters.rotary_columns.literal(),
            "FACTOR" => parameters.extension.factor().literal(),
            "TRAINED_LENGTH" => parameters.extension.trained_length().literal(),
            "DEBERTA_BUCKETS" => parameters.rows.span().literal(),
            "DEBERTA_DISTANCE" => parameters.rows.max_distance().literal(),
            "KERPLE_FORM" => match parameters.kerple.form {
                KerpleForm::Logarithm => "logarithm",
                KerpleForm::Power => "power",
            }
            .literal(),
            "KERPLE_R1" => parameters.kerple.r1.literal(),
            "KERPLE_R2" => parameters.kerple.r2.literal(),
            "FIRE_C" => parameters.fire.c.literal(),
            "FIRE_THRESHOLD" => parameters.fire.threshold.literal(),
            "FIRE_QUERY" => parameters
                .fire_row
                .min(parameters.n.saturating_sub(1))
                .literal(),
            "SEED" => parameters.seed.literal(),
            "DISTANCES" => {
                let rows = match choice.open_lines {
                    true => self.rows(),
                    false => parameters.sinusoid.rows,
                };
                distances_among(rows, &choice.distances).literal()
            }
            "POSITION" => choice.phasors.position.literal(),
            "OFFSET" => choice.phasors.offset.literal(),
            "TOKENS" => permutation::tokens(&tokens.text).literal(),
            "ORDER" => {
                let count = permutation::tokens(&tokens.text).len();
                permutation::order(count, tokens.shuffle).literal()
            }
            // Lines are inner products.
            "SIMILARITY" if self.figure == FigureId::FlatLines => "inner product".literal(),
            "SIMILARITY" => similarity_name(self.link.positions.similarity).literal(),
            _ => return None,
        })
    }

    /// Conditions in the programs of the encodings view.
    pub(super) fn encodings_condition(&self, condition: &str) -> Option<bool> {
        let choice = &self.link.encodings.choice;
        let parameters = &choice.parameters;
        let open = self.summary.as_ref();
        let open_scheme = open.map(|summary| scheme_of(&summary.family, summary.kind));
        let is_drawn = |which: SchemeId| {
            let needs_model = matches!(which, SchemeId::Learned | SchemeId::Head);
            choice.drawn_schemes.contains(&which) && (!needs_model || self.has_profile(which))
        };
        let is_open = |which: SchemeId| open_scheme == Some(which) && is_drawn(which);
        let is_rotary = is_drawn(SchemeId::Rotary) || is_drawn(SchemeId::PartialRotary);
        let kind = parameters.extension_kind();
        match (self.figure, condition) {
            (FigureId::FlatLines, "open") => Some(choice.open_lines),
            (FigureId::Permutation, "sinusoidal") => {
                Some(self.link.tokens.added_positions == AddedPositions::Sinusoids)
            }
            (FigureId::Permutation, "tisa") => {
                Some(self.link.tokens.added_positions == AddedPositions::Kernels)
            }
            (_, "one-angle") if self.has_planted_waves() => {
                Some(self.link.encodings.planted_waves.is_one_angle)
            }
            (_, "random-basis") if self.has_planted_waves() => {
                Some(self.link.encodings.planted_waves.basis_seed.is_some())
            }
            (FigureId::EncodingProfile, _) => Some(match condition {
                "open-t5" => is_open(SchemeId::T5),
                "open-deberta" => is_open(SchemeId::Deberta),
                "measured" => {
                    let measured = [SchemeId::Learned, SchemeId::Head];
                    measured.into_iter().any(is_drawn)
                        || is_open(SchemeId::T5)
                        || is_open(SchemeId::Deberta)
                }
                "rotary-angles" => is_rotary,
                "plain" => kind == ExtensionKind::None,
                "linear" => kind == ExtensionKind::Linear,
                "ntk" => kind == ExtensionKind::Ntk,
                "yarn" => kind == ExtensionKind::Yarn,
                "llama3" => kind == ExtensionKind::Llama3,
                "noise" => parameters.untrained_values == UntrainedValues::Noise,
                _ => {
                    let scheme = |scheme: &&Scheme| scheme.id == condition;
                    SCHEMES
                        .iter()
                        .find(scheme)
                        .is_some_and(|scheme| is_drawn(scheme.which))
                }
            }),
            _ => None,
        }
    }

    /// Whether the figure shows planted waves.
    fn has_planted_waves(&self) -> bool {
        matches!(
            self.figure,
            FigureId::PlantedWaves | FigureId::PlantedAttention
        )
    }

    /// Whether the open model has a profile of this scheme.
    fn has_profile(&self, which: SchemeId) -> bool {
        match which {
            SchemeId::Head => self.head.is_some(),
            _ => self.summary.is_some(),
        }
    }
}
