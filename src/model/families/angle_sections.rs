//! The sections of a configuration that describe rotary angles.

use super::Config;

/// The sections `rope_parameters` and `rope_scaling`. Where both are there, transformers 5 reads the latter alone
/// (`convert_rope_params_to_dict`), so that the former counts as absent. Sections for kinds of layers are merged there, and
/// both count.
pub(super) fn angle_sections(config: &Config) -> [&Config; 2] {
    let sections = ["rope_parameters", "rope_scaling"].map(|key| config.section(key));
    let has_kinds = |section: &Config| section.sections().next().is_some();
    let [_, scaling] = sections;
    match scaling.is_empty() || sections.iter().any(|section| has_kinds(section)) {
        true => sections,
        false => [Config::empty(), scaling],
    }
}
