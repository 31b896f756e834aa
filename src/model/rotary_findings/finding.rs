//! A finding about a rotary model: a sentence with its numbers.

use serde::{Deserialize, Serialize};

use crate::short_text::short_message;

/// How much a finding matters. The order is that of a list of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Severity {
    /// Entries that contradict one another, the tensors, or every meaning of the entry.
    Fault,
    /// A length that the angles do not cover, or a setting that other programs misread in silence.
    Caution,
    /// A property of the model.
    Fact,
}

impl Severity {
    /// The severity as a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Fault => "Fault",
            Self::Caution => "Caution",
            Self::Fact => "Fact",
        }
    }
}

macro_rules! identifiers {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $identifier:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$of])* $variant,)+
        }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Identifier in lower case, which never changes.
            #[must_use]
            pub fn identifier(self) -> &'static str {
                match self {
                    $(Self::$variant => $identifier,)+
                }
            }
        }
    };
}

identifiers! {
    /// Kind of a finding.
    FindingKind {
        /// Angles that layers share.
        LayerAngles = "layer-angles",
        /// Layers with attention that rotate nothing.
        UnrotatedLayers = "unrotated-layers",
        /// Pairs of columns that follow several axes.
        PositionAxes = "position-axes",
        /// Turns of the slowest pair within the lengths of training and of the configuration.
        SlowestPair = "slowest-pair",
        /// The first offset with a negative sum of cosines.
        NegativeSum = "negative-sum",
        /// The length of training times the factor, and the length of the configuration.
        StretchedLength = "stretched-length",
        /// A change of the angles that cannot be followed, for a reason that no other finding gives.
        RefusedScaling = "refused-scaling",
        /// A program that knows `rope_theta` and `rope_scaling` alone.
        FieldsMoved = "fields-moved",
        /// A program that leaves the change for longer texts out.
        ScalingIgnored = "scaling-ignored",
        /// A program that rotates every layer.
        UnrotatedLayersIgnored = "unrotated-layers-ignored",
        /// A program that uses the angles of global layers in local ones.
        LocalAnglesIgnored = "local-angles-ignored",
        /// A program that rotates all columns of a head.
        PartialRotationIgnored = "partial-rotation-ignored",
        /// A program whose exponents run over the rotated columns instead of the whole head.
        ProportionIgnored = "proportion-ignored",
        /// A program that leaves out the factor of queries and keys.
        AttentionFactorIgnored = "attention-factor-ignored",
        /// A program that does not know the entry by which `YaRN` leaves out the factor of queries and keys.
        ScaleFlagIgnored = "scale-flag-ignored",
        /// A program that leaves out the factors of queries and keys of short and of long texts.
        LengthFactorsIgnored = "length-factors-ignored",
        /// A base that is no number above 1.
        UnusableBase = "unusable-base",
        /// A factor that angles cannot be divided by.
        UnusableFactor = "unusable-factor",
        /// A factor between 0 and 1, which makes texts shorter.
        FactorBelowOne = "factor-below-one",
        /// A length that is no number of tokens.
        UnusableLength = "unusable-length",
        /// A share of rotated columns that is not between 0 and 1.
        UnusableShare = "unusable-share",
        /// A number of heads, layers or columns that is none.
        UnusableCount = "unusable-count",
        /// Another number of a change of the angles that its formula cannot use.
        UnusableParameter = "unusable-parameter",
        /// `high_freq_factor` is not above `low_freq_factor`, or `beta_fast` not above `beta_slow`.
        BandOrder = "band-order",
        /// An entry without which the change of the angles is undefined.
        MissingEntry = "missing-entry",
        /// A change of the angles that counts from the length of training, which is not in the configuration.
        MissingTrainedLength = "missing-trained-length",
        /// A factor without a `rope_type`.
        MissingType = "missing-type",
        /// A `rope_type` that is not known.
        UnknownType = "unknown-type",
        /// A `rope_type` under an older name.
        OlderType = "older-type",
        /// An entry that some programs read and others do not.
        UnreadEntry = "unread-entry",
        /// `type` and `rope_type` differ.
        TypesDiffer = "types-differ",
        /// `rope_scaling` and `rope_parameters` differ.
        SectionsDiffer = "sections-differ",
        /// `rope_theta` is in two places and differs.
        BasesDiffer = "bases-differ",
        /// A section that is none, or one that cannot be read.
        UnreadableSection = "unreadable-section",
        /// A kind of layers without angles of its own, beside kinds that have them.
        KindWithoutAngles = "kind-without-angles",
        /// A list of divisors that does not have one number for each pair.
        DivisorListLength = "divisor-list-length",
        /// A divisor that angles cannot be divided by.
        UnusableDivisor = "unusable-divisor",
        /// `layer_types` does not have one entry for each layer.
        LayerTypesLength = "layer-types-length",
        /// A kind of layer that is not known.
        UnknownLayerType = "unknown-layer-type",
        /// `no_rope_layers` does not have one number for each layer.
        UnrotatedListLength = "unrotated-list-length",
        /// A number in `no_rope_layers` that is neither 0 nor 1.
        UnrotatedListValue = "unrotated-list-value",
        /// `layer_rope_theta` does not have one number for each layer.
        LayerBasesLength = "layer-bases-length",
        /// Sections of several axes that do not sum to the number of pairs.
        AxesSum = "axes-sum",
        /// The length of training is above that of the configuration.
        TrainedAboveClaimed = "trained-above-claimed",
        /// Heads that do not divide the width of the model.
        HeadsDoNotDivideWidth = "heads-do-not-divide-width",
        /// Key heads that do not divide the heads.
        KeyHeadsDoNotDivideHeads = "key-heads-do-not-divide-heads",
        /// An odd number of rotated columns.
        OddRotatedWidth = "odd-rotated-width",
        /// More rotated columns than a head has.
        RotatedWidthAboveHead = "rotated-width-above-head",
        /// A map of queries whose shape contradicts the configuration.
        QueryShape = "query-shape",
        /// A map of keys whose shape contradicts the configuration.
        KeyShape = "key-shape",
        /// Layers of the configuration that the file does not have, or the other way round.
        LayerCount = "layer-count",
        /// Numbers in a file that divide the angles and cannot be used.
        UnusableTensor = "unusable-tensor",
    }
}

identifiers! {
    /// Meaning of a number of a finding. Lengths and wavelengths are in tokens, phases in radians.
    FindingNumber {
        /// Value of the entry.
        Value = "value",
        /// Value that would fit.
        Expected = "expected",
        /// Number of layers that the finding is about.
        Layers = "layers",
        /// Number of all layers.
        AllLayers = "all-layers",
        /// Number of heads.
        Heads = "heads",
        /// Number of key heads.
        KeyHeads = "key-heads",
        /// Number of columns of a head.
        HeadWidth = "head-width",
        /// Number of rotated columns of a head.
        RotatedColumns = "rotated-columns",
        /// Number of rotated pairs of columns of a head.
        Pairs = "pairs",
        /// Base of the angles.
        Base = "base",
        /// Factor for longer texts.
        Factor = "factor",
        /// Length of the texts of training.
        TrainedLength = "trained-length",
        /// Greatest length by the configuration.
        ClaimedLength = "claimed-length",
        /// Length of training times the factor.
        StretchedLength = "stretched-length",
        /// Wavelength of the fastest pair.
        ShortestWavelength = "shortest-wavelength",
        /// Wavelength of the slowest pair.
        LongestWavelength = "longest-wavelength",
        /// Turns of the slowest pair within the length of training.
        TurnsInTraining = "turns-in-training",
        /// Turns of the slowest pair within the length of the configuration.
        Turns = "turns",
        /// Number of pairs without a full turn within the length of training.
        PairsWithoutFullTurn = "pairs-without-full-turn",
        /// Number of these pairs that reach angles beyond those of training.
        PairsBeyondTraining = "pairs-beyond-training",
        /// Columns that turn fully within the length of training.
        CriticalColumns = "critical-columns",
        /// First offset with a negative sum of cosines.
        FirstNegativeSum = "first-negative-sum",
        /// Offset up to which no sum of cosines is negative.
        PositiveUpTo = "positive-up-to",
        /// Offset at which phases are compared.
        Offset = "offset",
        /// The largest error of a pair's phase at that offset.
        PhaseError = "phase-error",
        /// Number of pairs with another angle.
        DifferentPairs = "different-pairs",
        /// Number of pairs whose phase is off by more than π at that offset.
        WrongPairs = "wrong-pairs",
        /// Number of tokens that a local layer sees.
        Window = "window",
        /// The largest error of a pair's phase within the window.
        PhaseErrorInWindow = "phase-error-in-window",
        /// Factor by which scores differ.
        ScoreFactor = "score-factor",
    }
}

/// A finding about a rotary model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Kind, for programs.
    pub kind: FindingKind,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence with the numbers.
    pub sentence: String,
    /// The numbers.
    pub numbers: Vec<(FindingNumber, f64)>,
}

impl Finding {
    /// A finding with a sentence, in which long names are shortened.
    pub(super) fn new(kind: FindingKind, severity: Severity, sentence: &str) -> Self {
        Self {
            kind,
            severity,
            sentence: short_message(sentence),
            numbers: Vec::new(),
        }
    }

    pub(super) fn fault(kind: FindingKind, sentence: &str) -> Self {
        Self::new(kind, Severity::Fault, sentence)
    }

    pub(super) fn caution(kind: FindingKind, sentence: &str) -> Self {
        Self::new(kind, Severity::Caution, sentence)
    }

    pub(super) fn fact(kind: FindingKind, sentence: &str) -> Self {
        Self::new(kind, Severity::Fact, sentence)
    }

    /// Adds numbers; those that are not finite are left out.
    pub(super) fn with(mut self, numbers: &[(FindingNumber, f64)]) -> Self {
        let finite = numbers.iter().filter(|(_, number)| number.is_finite());
        self.numbers.extend(finite);
        self
    }

    /// The number with this meaning.
    #[must_use]
    pub fn number(&self, meaning: FindingNumber) -> Option<f64> {
        let mut numbers = self.numbers.iter();
        numbers
            .find(|(own, _)| *own == meaning)
            .map(|(_, number)| *number)
    }
}

/// The findings as text, one to a line, such as “Caution: …”.
#[must_use]
pub fn findings_as_text(findings: &[Finding]) -> String {
    let line = |finding: &Finding| format!("{}: {}\n", finding.severity.word(), finding.sentence);
    findings.iter().map(line).collect()
}

/// A number for a sentence: whole numbers and those above 100 with commas between thousands, others with three digits.
pub(super) fn number_text(number: f64) -> String {
    let size = number.abs();
    if !number.is_finite() || size >= 1e15 || (size > 0.0 && size < 1e-3) {
        return format!("{number:.1e}");
    }
    if number.fract() == 0.0 || size >= 100.0 {
        return group_digits(number.round() as i64);
    }
    let digits = if size >= 10.0 {
        1
    } else if size >= 1.0 {
        2
    } else {
        3
    };
    let text = format!("{number:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn group_digits(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "−" } else { "" }.to_owned();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// “1 layer”, “2 layers”.
pub(super) fn count_text(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", number_text(count as f64))
}
