//! Folders of sentence-transformers that hold a layer behind the model, such as `2_Dense`.

use super::seen_file::SeenFile;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Classes of layers that follow the model, as in `sentence_transformers.models`. None has positions.
const LAYERS: [&str; 11] = [
    "BoW",
    "CNN",
    "Dense",
    "Dropout",
    "LSTM",
    "LayerNorm",
    "Normalize",
    "Pooling",
    "WeightedLayerPooling",
    "WordEmbeddings",
    "WordWeights",
];

/// An entry of `modules.json`.
#[derive(Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    class: String,
}

/// The folders of layers behind the model, relative to that of this `modules.json`. Empty if it is damaged.
pub(super) fn layer_folders(text: &str) -> Vec<String> {
    let modules: Vec<Module> = serde_json::from_str(text).unwrap_or_default();
    let is_layer = |module: &Module| {
        let class = module.class.rsplit('.').next().unwrap_or_default();
        LAYERS.contains(&class) && !module.path.trim_matches('/').is_empty()
    };
    let layers = modules.into_iter().filter(is_layer);
    layers
        .map(|module| module.path.trim_matches('/').to_owned())
        .collect()
}

/// Whether a folder's name is one that sentence-transformers gives such a layer, as `2_Dense`.
fn is_layer_name(folder: &str) -> bool {
    let name = folder.rsplit('/').next().unwrap_or_default();
    name.split_once('_').is_some_and(|(number, class)| {
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number && LAYERS.contains(&class)
    })
}

/// Leaves out the weights in folders of layers: those that a `modules.json` lists, and those with such a name below a
/// folder with weights. `listed` are the folders with a `modules.json`, each with the layers that it lists.
pub(super) fn leave_out_layers<S>(
    candidates: &mut Vec<SeenFile<S>>,
    listed: &[(String, Vec<String>)],
) {
    let path = |folder: &str, layer: &str| match folder {
        "" => layer.to_owned(),
        folder => format!("{folder}/{layer}"),
    };
    let layers: BTreeSet<String> = listed
        .iter()
        .flat_map(|(folder, layers)| layers.iter().map(move |layer| path(folder, layer)))
        .collect();
    let models: BTreeSet<String> = candidates
        .iter()
        .filter(|file| file.is_weights() && !is_layer_name(file.folder()))
        .map(|file| file.folder().to_owned())
        .collect();
    candidates.retain(|file| {
        let folder = file.folder();
        let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
        let is_below_model = is_layer_name(folder) && models.contains(parent);
        !file.is_weights() || !(layers.contains(folder) || is_below_model)
    });
}
