//! Entries of timm's configurations, which have the name of an architecture and, at times, arguments for its function.

use super::Config;

/// Rows and columns of patches, from the size of the images and that of a patch. The latter may appear only in the
/// model's name.
pub(super) fn patches(config: &Config) -> Option<(u32, u32)> {
    let arguments = config.section("model_args");
    let image = [
        arguments.counts("img_size"),
        config.section("pretrained_cfg").counts("input_size"),
        config.counts("input_size"),
    ];
    let image = image.into_iter().find(|sides| !sides.is_empty())?;
    let in_name = || {
        let (_, rest) = config.word("architecture")?.split_once("patch")?;
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    let mut patch = arguments.counts("patch_size");
    if patch.is_empty() {
        patch.push(in_name()?);
    }
    // Input sizes begin with the number of channels.
    let image = match image[..] {
        [_, height, width] => vec![height, width],
        _ => image,
    };
    Config::patches_of(&image, &patch, &arguments.strides())
}
