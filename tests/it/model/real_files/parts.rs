//! Files with several models: each part is offered, with its own section of the configuration.

use std::collections::HashSet;

use diagonal::model::{Config, ModelOptions, PositionModel};
use pollster::block_on;

use super::of_source;
use crate::support::models::{
    Tensors, bytes, config, data, f32s, note, open_model, plainly, rename_tensors, tensors, write,
};

fn ids(model: &PositionModel) -> Vec<&str> {
    model.sources.iter().map(|(id, _)| id.as_str()).collect()
}

fn joined(parts: &[(&str, &str)]) -> Tensors {
    let renamed = |(family, prefix): &(&str, &str)| {
        rename_tensors(tensors(family), |name| format!("{prefix}{name}"))
    };
    parts.iter().flat_map(renamed).collect()
}

/// Whether a part has the table and the heads that its model has alone.
fn is_part(file: &Tensors, config: &Config, id: &str, family: &str) {
    let (checkpoint, part) = open_model(write(file), Some(config), &of_source(id)).expect(id);
    let alone = crate::support::models::config(family);
    let (whole_checkpoint, whole) = plainly(bytes(family), Some(&alone));
    assert_eq!(
        (part.family, part.table()),
        (whole.family, whole.table()),
        "{id}"
    );
    assert_eq!(part.heads, whole.heads, "{id}");
    let layer = |checkpoint: &_, model: &PositionModel| {
        block_on(model.read_layer(checkpoint, 0)).expect(id)
    };
    assert!(
        layer(&checkpoint, &part) == layer(&whole_checkpoint, &whole),
        "{id}"
    );
}

#[test]
fn every_part_has_its_own_section_of_the_configuration() {
    for (first, second, sections) in [
        ("vit", "gpt2", ["encoder", "decoder"]),
        ("bert", "roberta", ["encoder", "decoder"]),
        ("vit", "bert", ["vision_model", "text_model"]),
    ] {
        let file = joined(&[
            (first, &format!("{}.", sections[0])),
            (second, &format!("{}.", sections[1])),
        ]);
        let text =
            |family: &str| std::fs::read_to_string(data(family).join("config.json")).expect(family);
        let keys = sections.map(|section| section.replace("_model", "_config"));
        let config = Config::parse(&format!(
            r#"{{"model_type": "pair", "{}": {}, "{}": {}}}"#,
            keys[0],
            text(first),
            keys[1],
            text(second)
        ))
        .expect("a configuration");
        is_part(&file, &config, sections[0], first);
        is_part(&file, &config, sections[1], second);
    }
}

/// The row of zeros of `RoBERTa`'s table says nothing of the other one.
#[test]
fn bert_and_roberta_in_one_file_differ_by_their_own_tables() {
    for [first, second] in [["bert", "roberta"], ["roberta", "bert"]] {
        let file = joined(&[(first, "a."), (second, "b.")]);
        for (id, folder) in [("a", first), ("b", second)] {
            let (_, part) = open_model(write(&file), None, &of_source(id)).expect(id);
            let (_, whole) = plainly(bytes(folder), None);
            assert_eq!(
                (part.family, part.table()),
                (whole.family, whole.table()),
                "{first} and {second}, {id}"
            );
        }
    }
}

#[test]
fn a_library_is_named_beside_its_own_part_only() {
    let mut file = joined(&[("bert", "text.")]);
    file.extend(rename_tensors(tensors("timm-vit"), |name| {
        let name = name.replace("norm1.", "ln1.").replace("norm2.", "ln2.");
        let name = name.replace("mlp.fc1.", "ffn.layers.0.0.");
        let name = name.replace("mlp.fc2.", "ffn.layers.1.");
        let name = name.replace("blocks.", "layers.");
        format!(
            "image.{}",
            name.replace("patch_embed.proj.", "patch_embed.projection.")
        )
    }));
    for (id, is_library) in [("text", false), ("image", true)] {
        let (_, model) = open_model(write(&file), None, &of_source(id)).expect(id);
        let text = note(&model, "Family").expect("a note");
        assert_eq!(text.contains("mmpretrain"), is_library, "{text}");
    }
}

#[test]
fn a_window_is_that_of_its_own_section() {
    let name = "encoder.encoder.layers.0.blocks.0.attention.self.relative_position_bias_table";
    let file = write(&[(name.to_owned(), f32s(&[3 * 7, 2], |at| at as f32))].into());
    let text = r#"{"model_type": "pair", "window_size": 7, "encoder": {"model_type": "swin", "window_size": [2, 4]}}"#;
    let config = Config::parse(text).expect("a configuration");
    let (_, model) = plainly(file, Some(&config));
    let grid = model.positions.grid().expect("a window");
    assert_eq!((grid.height, grid.width), (2, 4));
}

#[test]
fn student_and_teacher_are_two_parts() {
    for family in ["timm-vit", "vit", "gpt2", "opt", "distilbert"] {
        let file = joined(&[(family, "student.backbone."), (family, "teacher.backbone.")]);
        let (_, model) = plainly(write(&file), Some(&config(family)));
        assert_eq!(model.sources.len(), 2, "{family}: {:?}", model.sources);
        for id in ["student", "teacher"] {
            assert!(
                ids(&model).iter().any(|other| other.starts_with(id)),
                "{family}"
            );
            is_part(
                &file,
                &config(family),
                ids(&model)
                    .iter()
                    .find(|other| other.starts_with(id))
                    .expect(id),
                family,
            );
        }
    }
}

#[test]
fn a_model_alone_has_the_parts_of_its_family() {
    for (family, expected) in [
        ("bert", &["positions"][..]),
        ("albert", &["positions"]),
        ("bart", &["encoder", "decoder"]),
        ("clip", &["text", "vision"]),
        ("whisper", &["encoder", "decoder"]),
        ("mpnet", &["positions", "bias"]),
        ("longformer", &["positions", "global"]),
        ("t5", &["encoder", "decoder"]),
        ("deberta", &["positions"]),
        ("llama", &["positions"]),
    ] {
        let (_, model) = plainly(bytes(family), Some(&config(family)));
        let all = ids(&model);
        assert!(all.starts_with(&expected[..1]), "{family}: {all:?}");
        assert!(
            all.iter().all(|id| expected.contains(id)) || family == "deberta",
            "{family}: {all:?}"
        );
    }
}

#[test]
fn parts_whose_names_begin_alike_have_titles_of_their_own() {
    let file = joined(&[("gpt2", "a.x."), ("gpt2", "a.y."), ("vit", "b.")]);
    let (_, model) = plainly(write(&file), None);
    let titles: HashSet<&String> = model.sources.iter().map(|(_, title)| title).collect();
    let ids: HashSet<&str> = ids(&model).into_iter().collect();
    assert_eq!((titles.len(), ids.len()), (3, 3), "{:?}", model.sources);
}

#[test]
fn a_part_that_is_not_there_gets_a_sentence() {
    let file = joined(&[("vit", "encoder."), ("gpt2", "decoder.")]);
    let choice = ModelOptions {
        source: Some("vision".to_owned()),
        ..ModelOptions::default()
    };
    let error = open_model(write(&file), None, &choice)
        .map(drop)
        .expect_err("no such part");
    assert!(error.to_string().contains("encoder"), "{error}");
}
