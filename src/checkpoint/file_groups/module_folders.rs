//! Folders of sentence-transformers that hold a layer behind the model, such as `2_Dense`.

use serde::Deserialize;

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
pub(super) fn is_layer_name(folder: &str) -> bool {
    let name = folder.rsplit('/').next().unwrap_or_default();
    name.split_once('_').is_some_and(|(number, class)| {
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number && LAYERS.contains(&class)
    })
}
