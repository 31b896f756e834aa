//! Changes of rotary angles for longer texts, from `rope_parameters` or `rope_scaling` of a configuration.
//!
//! Names and defaults are those of the transformers library, version 5.24. A value that its formula cannot use is
//! refused with a sentence, and the angles are then those of training.

use super::{Config, angle_sections::angle_sections, rotary_bases::Angles};
use crate::{
    checkpoint::CleanText,
    encoding::{ContextExtension, LongRope, Yarn},
};

/// Values of `rope_type` that leave the angles as they are, unless there is a factor.
const PLAIN: &[&str] = &["default", "none", "mrope", "proportional"];

/// Greatest factor, far beyond every published model.
const MOST_FACTOR: f64 = 1e4;

/// Entry with the number of tokens of the texts of training.
const TRAINED_LENGTH: &str = "original_max_position_embeddings";

/// Entries that say whether `YaRN` multiplies queries and keys: Mistral's in `params.json`, and vLLM's for the same.
pub(in crate::model) const SCALE_FLAGS: [&str; 2] = ["apply_scale", "apply_yarn_scaling"];

/// Entries with the number of tokens of the longest text, of which the first counts.
const LONGEST: &[&str] = &[
    "max_position_embeddings",
    "n_positions",
    "max_sequence_length",
    "seq_length",
    "max_seq_len",
    "n_ctx",
];

/// Greatest length of a text in tokens.
const MOST_LENGTH: f64 = 1e10;

/// The change that a configuration asks for, and a sentence on it.
#[derive(Debug, Default)]
pub(super) struct Extension {
    pub(super) change: ContextExtension,
    /// Sentences for the note; `None` if nothing is asked for.
    pub(super) text: Option<String>,
}

impl Extension {
    /// No change, with a sentence on why the one that is asked for cannot be made.
    fn refuse(asked: &str, reason: &str) -> Self {
        Self {
            change: ContextExtension::None,
            text: Some(format!(
                "{asked}; {reason} The figures show the angles of training."
            )),
        }
    }
}

/// Sections of the configuration that may change these angles.
pub(super) fn sections<'a>(config: &'a Config, angles: &Angles<'a>) -> Vec<&'a Config> {
    // Mistral's `params.json` has a section of this name for its only kind of change.
    let shared = angle_sections(config)
        .into_iter()
        .chain([config.section("yarn")]);
    [angles.section]
        .into_iter()
        .chain(shared.filter(|_| angles.is_shared))
        .collect()
}

/// Reads the change of the angles of `pairs` pairs of columns.
pub(super) fn extension(config: &Config, angles: &Angles<'_>, pairs: usize) -> Extension {
    let sections = sections(config, angles);
    // Mistral's section `yarn` has no type, and its factor alone is not that of a linear change.
    let yarn = config.section("yarn");
    let named = sections.into_iter().find_map(|section| {
        let is_yarn = std::ptr::eq(section, yarn) && !yarn.is_empty();
        let kind = if is_yarn {
            "yarn"
        } else {
            kind_of_change(section)?
        };
        Some((kind, section))
    });
    let Some((kind, section)) = named else {
        return scaled_rope(config, angles).unwrap_or_default();
    };
    let entries = Entries {
        config,
        section,
        is_apart: angles.is_apart,
        pairs,
    };
    let factor = section.number("factor");
    let factor = factor.map_or(String::new(), |factor| format!(", factor {factor}"));
    let asked = format!(
        "The configuration stretches the angles for longer texts (“{}”{factor})",
        CleanText(kind)
    );
    match entries.change(kind) {
        Ok(change) => {
            let text = format!("{asked}. {}", effect(&change))
                .trim_end()
                .to_owned();
            Extension {
                change,
                text: Some(text),
            }
        }
        Err(reason) => Extension::refuse(&asked, &reason),
    }
}

/// The change that Meta's `params.json` asks for by a flag. Factor, turns and length are fixed by Meta's code
/// (`llama_models`, `apply_scaling`), unless the file gives the factors.
fn scaled_rope(config: &Config, angles: &Angles<'_>) -> Option<Extension> {
    let is_scaled = config.flag("use_scaled_rope") == Some(true) && angles.is_shared;
    is_scaled.then(|| {
        let number = |key: &str, usual: f64| match config.number(key) {
            Some(_) => positive(config, key, MOST_FACTOR),
            None => Ok(usual),
        };
        let asked = "The configuration stretches the angles for longer texts (“use_scaled_rope”";
        let both = number("rope_scaling_factor", 8.0)
            .and_then(|factor| Ok((factor, number("rope_high_freq_factor", 4.0)?)));
        match both {
            Ok((factor, high_turns)) if high_turns > 1.0 => Extension {
                change: ContextExtension::Llama3 {
                    factor,
                    low_turns: 1.0,
                    high_turns,
                    trained_length: 8192.0,
                },
                text: Some(format!("{asked}, factor {factor}).")),
            },
            Ok((_, high_turns)) => Extension::refuse(
                &format!("{asked})"),
                &format!("“rope_high_freq_factor” is {high_turns}, which is not above 1."),
            ),
            Err(reason) => Extension::refuse(&format!("{asked})"), &reason),
        }
    })
}

/// Number of tokens of the texts of training, for files whose divisors depend on it; infinite if it is unknown.
pub(super) fn trained_length(config: &Config, angles: &Angles<'_>) -> f64 {
    let sections = sections(config, angles).into_iter().chain([config]);
    let stated = sections.filter_map(|section| section.number(TRAINED_LENGTH));
    let longest = config.number("max_position_embeddings");
    let mut lengths = stated.chain(longest).filter(|length| *length > 0.0);
    lengths.next().unwrap_or(f64::INFINITY)
}

/// Number of tokens of the texts of training, for a reader: the stated one, or the greatest length if nothing changes the
/// angles or if the change counts from it. Linear changes do not, so that nothing is known.
pub(super) fn training_length(config: &Config, angles: &Angles<'_>) -> Option<f64> {
    let sections = sections(config, angles);
    let change = sections.iter().find_map(|section| kind_of_change(section));
    let stated = sections.into_iter().chain([config]);
    let stated = stated.filter_map(|section| section.number(TRAINED_LENGTH));
    let longest = claimed_length(config).filter(|_| change != Some("linear"));
    let mut lengths = stated.chain(longest);
    lengths.find(|length| *length > 0.0 && *length <= MOST_LENGTH)
}

/// Number of tokens of the longest text for which the configuration offers the model.
pub(super) fn claimed_length(config: &Config) -> Option<f64> {
    let mut lengths = LONGEST.iter().filter_map(|key| config.number(key));
    lengths.find(|length| *length > 0.0 && *length <= MOST_LENGTH)
}

/// The configured factor of rotated queries and keys, for files whose divisors are tensors; 1 if there is none.
pub(super) fn attention_factor(config: &Config, angles: &Angles<'_>) -> f64 {
    let sections = sections(config, angles);
    let factor = sections
        .into_iter()
        .find_map(|section| section.number("attention_factor"));
    factor.filter(|factor| *factor > 0.0).unwrap_or(1.0)
}

/// Share of a head's pairs that rotate, if the exponent of their angles runs over the whole head (Gemma 4's
/// `proportional`).
pub(super) fn proportion(config: &Config) -> Option<f64> {
    let is_proportional = kind(config) == Some("proportional");
    is_proportional.then(|| config.number("partial_rotary_factor").unwrap_or(1.0))
}

fn kind(config: &Config) -> Option<&str> {
    config.word("rope_type").or(config.word("type"))
}

/// The `rope_type` of a section that changes angles; `None` for other sections.
fn kind_of_change(section: &Config) -> Option<&str> {
    let has_factor = section.number("factor").is_some_and(|factor| factor != 1.0);
    match kind(section) {
        Some("proportional") if has_factor => Some("linear"),
        Some(kind) if !PLAIN.contains(&kind) => Some(kind),
        // Older GGUF files have a factor but no type.
        None if has_factor => Some("linear"),
        _ => None,
    }
}

/// A sentence on what a change does beyond its factor; empty if that says it all.
fn effect(change: &ContextExtension) -> String {
    match change {
        ContextExtension::Dynamic { trained_length, .. } => format!(
            "Texts of up to {trained_length} tokens keep the angles of training; the base grows with longer ones."
        ),
        ContextExtension::Yarn(yarn) => describe_attention_factor(yarn.attention_factor),
        ContextExtension::LongRope(list) => format!(
            "Each pair of columns has its own divisor, with one list for texts of up to {} tokens and one for longer texts. {}",
            list.trained_length,
            describe_attention_factor(list.attention_factor)
        ),
        _ => String::new(),
    }
}

fn describe_attention_factor(factor: f64) -> String {
    if factor == 1.0 {
        return String::new();
    }
    format!(
        "Queries and keys are also multiplied by {factor:.4}; the figures leave this factor out."
    )
}

/// Entries on which a change depends.
struct Entries<'a> {
    config: &'a Config,
    section: &'a Config,
    is_apart: bool,
    pairs: usize,
}

impl Entries<'_> {
    fn change(&self, kind: &str) -> Result<ContextExtension, String> {
        Ok(match kind {
            "linear" => ContextExtension::Linear {
                factor: self.factor()?,
            },
            // Hunyuan's fixed change of the base.
            "dynamic" if self.section.number("alpha").is_some() => ContextExtension::Ntk {
                factor: self.positive("alpha", MOST_FACTOR)?,
            },
            "dynamic" => ContextExtension::Dynamic {
                factor: self.factor()?,
                trained_length: self.longest()?,
            },
            // The longer name is that of programs for DeepSeek's models.
            "yarn" | "deepseek_yarn" => ContextExtension::Yarn(self.yarn()?),
            // The older name is that of the first models.
            "longrope" | "su" => ContextExtension::LongRope(self.long_rope()?),
            "llama3" => self.llama3()?,
            _ => return Err("this page does not know this change.".to_owned()),
        })
    }

    fn yarn(&self) -> Result<Yarn, String> {
        let trained_length = self.trained_length()?;
        let factor = if self.has("factor") {
            self.factor()?
        } else {
            self.longest()? / trained_length
        };
        // Of the paper: 0.1·ln s + 1. DeepSeek divides two of them, with a coefficient each.
        let scale = |coefficient: f64| 0.1 * coefficient * factor.max(1.0).ln() + 1.0;
        let coefficient = |key: &str| self.section.number(key).filter(|value| *value != 0.0);
        let is_unscaled = SCALE_FLAGS
            .iter()
            .any(|key| self.section.flag(key) == Some(false));
        let usual = match (coefficient("mscale"), coefficient("mscale_all_dim")) {
            _ if is_unscaled => 1.0,
            (Some(above), Some(below)) => scale(above) / scale(below),
            _ => scale(1.0),
        };
        let turns = |key: &str, usual: f64| match self.section.number(key) {
            None | Some(0.0) => Ok(usual),
            Some(_) => self.positive(key, MOST_LENGTH),
        };
        // Names in Mistral's `params.json`.
        let fast = turns("beta", 32.0)?;
        let slow = turns("alpha", 1.0)?;
        Ok(Yarn {
            factor,
            trained_length,
            fast_turns: turns("beta_fast", fast)?,
            slow_turns: turns("beta_slow", slow)?,
            is_truncated: self.section.flag("truncate") != Some(false),
            attention_factor: self.attention_factor(usual)?,
        })
    }

    fn long_rope(&self) -> Result<LongRope, String> {
        let trained_length = self.trained_length()?;
        let factor = if self.has("factor") {
            self.factor()?
        } else {
            self.longest()? / trained_length
        };
        let usual = if factor > 1.0 && trained_length > 1.0 {
            (1.0 + factor.ln() / trained_length.ln()).sqrt()
        } else {
            1.0
        };
        Ok(LongRope {
            short_divisors: self.divisors("short_factor")?,
            long_divisors: self.divisors("long_factor")?,
            trained_length,
            attention_factor: self.attention_factor(usual)?,
        })
    }

    fn llama3(&self) -> Result<ContextExtension, String> {
        let low_turns = self.positive("low_freq_factor", MOST_LENGTH)?;
        let high_turns = self.positive("high_freq_factor", MOST_LENGTH)?;
        if high_turns <= low_turns {
            return Err(format!(
                "“high_freq_factor” is {high_turns}, which is not above “low_freq_factor” ({low_turns})."
            ));
        }
        Ok(ContextExtension::Llama3 {
            factor: self.factor()?,
            low_turns,
            high_turns,
            trained_length: self.trained_length()?,
        })
    }

    /// Whether an entry is given and is not null.
    fn has(&self, key: &str) -> bool {
        self.section.value_text(key).is_some() && !self.section.is_null(key)
    }

    fn factor(&self) -> Result<f64, String> {
        self.positive("factor", MOST_FACTOR)
    }

    fn attention_factor(&self, usual: f64) -> Result<f64, String> {
        if self.has("attention_factor") {
            self.positive("attention_factor", MOST_FACTOR)
        } else {
            Ok(usual)
        }
    }

    /// Number of tokens of the texts of training: outside of all sections (Phi-3), in the section, or the longest text.
    fn trained_length(&self) -> Result<f64, String> {
        let outside = Some(self.config).filter(|_| !self.is_apart);
        let sections = outside.into_iter().chain([self.section]);
        for section in sections {
            if section.number(TRAINED_LENGTH).is_some() {
                return positive(section, TRAINED_LENGTH, MOST_LENGTH);
            }
        }
        self.longest()
    }

    fn longest(&self) -> Result<f64, String> {
        positive(self.config, "max_position_embeddings", MOST_LENGTH)
    }

    fn divisors(&self, key: &str) -> Result<Vec<f64>, String> {
        let divisors = self.section.numbers(key);
        if divisors.is_empty() && self.section.value_text(key).is_some() {
            return Err(format!("“{key}” is no list of numbers."));
        }
        if divisors.len() != self.pairs {
            return Err(format!(
                "“{key}” has {} numbers, and the heads have {} pairs of columns.",
                divisors.len(),
                self.pairs
            ));
        }
        let wrong = divisors
            .iter()
            .find(|divisor| !(**divisor > 0.0 && **divisor <= MOST_FACTOR));
        match wrong {
            Some(wrong) => Err(format!(
                "“{key}” has {wrong}, which is not between 0 and {MOST_FACTOR}."
            )),
            None => Ok(divisors),
        }
    }

    fn positive(&self, key: &str, most: f64) -> Result<f64, String> {
        positive(self.section, key, most)
    }
}

/// An entry that must be above 0 and at most `most`.
fn positive(section: &Config, key: &str, most: f64) -> Result<f64, String> {
    let written = section.value_text(key);
    match section.number(key) {
        None if written.is_some() => Err(format!(
            "“{key}” is {}, which is no number.",
            CleanText(&written.unwrap_or_default())
        )),
        None => Err(format!("“{key}” is missing.")),
        Some(value) if value > 0.0 && value <= most => Ok(value),
        Some(value) => Err(format!(
            "“{key}” is {value}, which is not between 0 and {most}."
        )),
    }
}
