//! The models of the gallery.

use std::collections::BTreeSet;

use diagonal::{
    checkpoint::Checkpoint,
    model::{Config, FAMILIES, GALLERY, GalleryModel, ModelOptions, PAPER_MODELS, PositionModel},
};
use pollster::block_on;

use crate::support::models::data;

/// Small checkpoints of `tests/data`, by the family that reads them.
const SAMPLES: &[(&str, &str)] = &[
    ("ALBERT", "albert"),
    ("BART", "bart"),
    ("BEiT", "beit"),
    ("BERT", "bert"),
    ("CLIP", "clip"),
    ("DeBERTa", "deberta-v2"),
    ("DistilBERT", "distilbert"),
    ("ELECTRA", "electra"),
    ("GPT-2", "gpt2"),
    ("MPNet", "mpnet"),
    ("OPT", "opt"),
    ("RoBERTa", "roberta"),
    ("Rotary", "llama"),
    ("Swin", "swin"),
    ("T5", "t5"),
    ("ViT", "deit"),
    ("Whisper", "whisper"),
];

fn models() -> impl Iterator<Item = &'static GalleryModel> {
    GALLERY.iter().flat_map(|(_, models)| *models)
}

#[test]
fn every_model_of_the_gallery_has_a_family_that_opens_checkpoints() {
    for model in models() {
        let mut families = FAMILIES.iter();
        assert!(
            families.any(|family| family.name() == model.family),
            "{}",
            model.name
        );
        let mut samples = SAMPLES.iter();
        let sample = samples.find(|(family, _)| *family == model.family);
        let (_, folder) = sample.unwrap_or_else(|| panic!("no checkpoint of {}", model.family));
        let read = |file| std::fs::read(data(folder).join(file)).expect(folder);
        let config =
            Config::read_leniently(&String::from_utf8(read("config.json")).expect("UTF-8"));
        let weights = read("model.safetensors");
        let checkpoint = block_on(Checkpoint::open(
            diagonal::checkpoint::MemorySource::from(weights),
            folder,
        ))
        .expect(folder);
        let opened = block_on(PositionModel::open(
            &checkpoint,
            Some(&config),
            &ModelOptions::default(),
        ));
        assert_eq!(opened.expect(folder).family, model.family, "{folder}");
    }
}

#[test]
fn models_of_the_gallery_are_named_once_with_owner_and_a_sentence() {
    let names: BTreeSet<&str> = models().map(|model| model.name).collect();
    assert_eq!(names.len(), models().count());
    for model in models() {
        assert_eq!(model.name.matches('/').count(), 1, "{}", model.name);
        assert!(
            model.look_for.ends_with('.') && model.look_for.len() < 90,
            "{}",
            model.name
        );
    }
}

#[test]
fn a_model_has_the_same_shape_in_both_lists() {
    let mut in_both = 0;
    for model in models() {
        let mut listed = PAPER_MODELS.iter().flat_map(|(_, models)| *models);
        if let Some(paper) = listed.find(|paper| paper.name == model.name) {
            assert_eq!(model.shape, Some(paper.shape), "{}", model.name);
            in_both += 1;
        }
    }
    assert!(in_both >= 4, "{in_both}");
}
