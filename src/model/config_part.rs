//! The section of a configuration that describes a part of a model.

use super::Config;

/// Parts of tensor names, and the sections of configurations that describe them. Sections with the name of the part, with
/// or without `_config`, are not listed.
const SECTIONS: &[(&str, &[&str])] = &[
    ("vision_model", &["vision_config"]),
    ("vision_tower", &["vision_config"]),
    ("vision_encoder", &["vision_config"]),
    ("visual", &["vision_config"]),
    ("image_encoder", &["vision_config", "image_config"]),
    ("text_model", &["text_config"]),
    (
        "text_encoder",
        &["text_config", "text_encoder", "prompt_encoder"],
    ),
    ("language_model", &["text_config", "llm_config"]),
    ("audio_tower", &["audio_config"]),
    ("audio_model", &["audio_config"]),
    ("qformer", &["qformer_config"]),
];

/// Maximum number of parts of a prefix that are compared with the sections: a hostile file may have a million.
const MOST_PARTS: usize = 32;

impl Config {
    /// The section for the tensors below a prefix such as `encoder.` or `vision_tower.vision_model.`: that of the last
    /// part of the prefix for which the configuration has a section, or else the whole configuration.
    #[must_use]
    pub fn part(&self, prefix: &str) -> &Self {
        let parts = prefix.split('.').rev().filter(|part| !part.is_empty());
        parts
            .take(MOST_PARTS)
            .find_map(|part| self.section_of(part))
            .unwrap_or(self)
    }

    /// The section that describes a part of a model, if it has a model type, a number of heads or a width.
    fn section_of(&self, part: &str) -> Option<&Self> {
        let own = [part.to_owned(), format!("{part}_config")];
        let others = SECTIONS.iter().find(|(name, _)| *name == part);
        let others = others.map_or(&[][..], |(_, sections)| sections).iter();
        let names = own.into_iter().chain(others.map(|name| (*name).to_owned()));
        let mut sections = names.map(|name| self.section(&name));
        sections.find(|section| {
            section.model_type.is_some()
                || section.heads.is_some()
                || section.hidden_width.is_some()
        })
    }
}
