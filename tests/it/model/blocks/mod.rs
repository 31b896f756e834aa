//! Descriptions of whole models, one file per family or kind of check; here is what the files share.

mod bart;
mod bert;
mod configurations;
mod gguf;
mod gpt;
mod gpt_oss;
mod llama;
mod shapes;
mod t5;
mod tensors;
mod vit;

use crate::support::models::{Tensors, bytes, config, f32s, open_model, write};
use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    encoding::RotaryAngles,
    model::{
        AttentionPositions, BlockDescription, Config, ModelDescription, ModelOptions,
        PositionModel, ResidualDescription, RotaryPairs, RotaryTensors, RotationDescription,
    },
};

type Opened = (Checkpoint<MemorySource>, PositionModel);

fn open_source(bytes: Vec<u8>, config: Option<&Config>, source: &str) -> Opened {
    let choice = ModelOptions {
        source: Some(source.to_owned()),
        ..ModelOptions::default()
    };
    open_model(bytes, config, &choice).expect(source)
}

fn folder(name: &str, source: &str) -> Opened {
    open_source(bytes(name), Some(&config(name)), source)
}

fn describe(model: &PositionModel) -> &ModelDescription {
    model.description().expect("a description")
}

fn first_block(model: &PositionModel) -> &BlockDescription {
    &describe(model).blocks[0]
}

fn heads(model: &PositionModel) -> Option<u32> {
    Some(model.heads.count).filter(|count| *count > 0)
}

/// Places of a part's norms.
fn order(residual: &ResidualDescription) -> &'static str {
    match residual {
        ResidualDescription {
            input_norm: Some(_),
            output_norm: None,
            sum_norm: None,
            ..
        } => "pre",
        ResidualDescription {
            input_norm: None,
            output_norm: None,
            sum_norm: Some(_),
            ..
        } => "post",
        ResidualDescription {
            input_norm: Some(_),
            output_norm: Some(_),
            sum_norm: None,
            ..
        } => "both sides",
        _ => "none",
    }
}

fn rotation(width: u32, base: f64, pairs: RotaryPairs) -> AttentionPositions {
    AttentionPositions::Rotation(RotationDescription {
        tensors: RotaryTensors {
            angles: RotaryAngles::new(width as usize, base),
            divisors: None,
        },
        pairs,
    })
}

/// A checkpoint of zeros: tensors of the model, and those of each layer, with `{}` for its number.
fn zeros(layers: usize, parts: &[(&str, &[usize])]) -> Vec<u8> {
    let mut tensors = Tensors::new();
    for (name, shape) in parts {
        let count = if name.contains("{}") { layers } else { 1 };
        for at in 0..count {
            let name = name.replace("{}", &at.to_string());
            tensors.insert(name, f32s(shape, |_| 0.0));
        }
    }
    write(&tensors)
}

fn parse(text: &str) -> Config {
    Config::parse(text).expect("a configuration")
}
