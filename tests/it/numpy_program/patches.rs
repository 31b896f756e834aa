//! Programs of models that rotate queries and keys by rows and columns of patches print what the page answers.

use super::{
    opened::{Opened, prints},
    runs::{ProgramRuns, rows_are},
};
use crate::support::{
    models::{data, f32s, tensors, write as write_tensors},
    python::python,
    questions::{FIRST, ask, folder, head_of_first},
};
use diagonal::{
    analysis::{
        HeadConvolutions, HeadList, HeadOverview, PatchMaps, PatchSimilarity, PositionOverview,
        RotaryAngleSets, ScoreMode, Similarity,
    },
    checkpoint::MemorySource,
    figure::{
        AngleChange, ColorMap, Figure, GridProfile, head_patterns, offset_maps, rotary_angles,
    },
    model::ModelOptions,
    numpy_program::{ModelScope, angle_constant, model_scope},
    url_state::FigureId,
};
use std::sync::Arc;

/// Folders of `patch-heads` with the source that rotates patches, and whether its angles are numbers of a tensor.
const FOLDERS: &[(&str, &str, bool)] = &[
    ("dinov3", "positions", false),
    ("llama4", "vision", false),
    ("pixtral", "positions", false),
    ("qwen2-vl", "vision", false),
    ("timm-axial", "positions", false),
    ("timm-dinov3", "positions", false),
    ("timm-eva02", "rotation", false),
    ("timm-mixed", "positions", true),
    ("timm-pe", "rotation", false),
];

fn open_folder(name: &str, source: &str) -> Opened {
    let choice = ModelOptions {
        source: Some(source.to_owned()),
        ..ModelOptions::default()
    };
    Opened::new(folder(&format!("patch-heads/{name}")), choice)
}

#[test]
fn programs_print_the_angles_of_patches() {
    let Some(python) = python("the NumPy programs of angles of patches") else {
        return;
    };
    let mut runs = ProgramRuns::new("patch-angles");
    let mut expected = Vec::new();
    let beside_a_table = [("timm-eva02", "positions", false)];
    for (name, source, is_stored) in FOLDERS.iter().chain(&beside_a_table) {
        let opened = open_folder(name, source);
        let angles = ask(&opened.session, RotaryAngleSets { of: FIRST }).expect(name);
        let angles = Arc::new(angles.expect("angles"));
        for base in [None, Some(250.0)] {
            let change = AngleChange { factor: None, base };
            let mut choices = opened.choices(FigureId::RotaryAngles);
            let of_view = Arc::clone(&angles);
            choices.of_view = Arc::new(move |name| angle_constant(&of_view, change, name));
            let scope = match is_stored {
                true => ModelScope::Open,
                false => ModelScope::None,
            };
            assert_eq!(model_scope(&choices), scope, "{name}");
            let program = opened.program(&choices).expect(name);
            let file = data("patch-heads").join(name).join("model.safetensors");
            let run = format!("{name}-{source}-{}", base.is_some());
            runs.add(&run, &program, &file);
            let plot = rotary_angles(&angles, change).expect("a plot");
            expected.push((run, plot.table()));
        }
    }
    // The files of DINOv3's authors have the periods.
    let bytes = with_periods();
    let file = runs.write_model("periods", &bytes);
    let files = vec![("periods.safetensors".to_owned(), MemorySource::new(bytes))];
    let opened = Opened::new(files, ModelOptions::default());
    let angles = ask(&opened.session, RotaryAngleSets { of: FIRST }).expect("an answer");
    let angles = angles.expect("angles");
    let plot = rotary_angles(&angles, AngleChange::default()).expect("a plot");
    let mut choices = opened.choices(FigureId::RotaryAngles);
    choices.of_view = Arc::new(move |name| angle_constant(&angles, AngleChange::default(), name));
    let program = opened.program(&choices).expect("a program");
    runs.add("of-periods", &program, &file);
    expected.push(("of-periods".to_owned(), plot.table()));
    runs.run(&python);
    for (name, table) in expected {
        prints(&runs, &name, &table);
    }
    runs.remove();
}

/// A model with the periods of its pairs, [w/4], in its file.
fn with_periods() -> Vec<u8> {
    let mut all = tensors("patch-heads/timm-dinov3");
    let periods = f32s(&[16], |at| 1.5_f32.powi(at as i32));
    all.insert("rope_embed.periods".to_owned(), periods);
    write_tensors(&all)
}

#[test]
fn programs_print_the_heads_of_patches() {
    let Some(python) = python("the NumPy programs of heads of patches") else {
        return;
    };
    let mut runs = ProgramRuns::new("patch-heads");
    let (mut tables, mut lists) = (Vec::new(), Vec::new());
    for (name, source, _) in FOLDERS {
        let opened = open_folder(name, source);
        let file = data("patch-heads").join(name).join("model.safetensors");
        let mut add = |figure: FigureId, run: &str, head: (usize, usize)| {
            let mut choices = opened.choices(figure);
            choices.head = Some(head);
            runs.add(run, &opened.program(&choices).expect(run), &file);
        };
        let overview = PositionOverview {
            of: FIRST,
            similarity: Similarity::InnerProduct,
        };
        let fit = ask(&opened.session, overview).expect(name).grid_fit;
        let profile = GridProfile::new(&fit.expect("patches"), ColorMap::Viridis, 0.0);
        let run = format!("{name}-positions");
        add(FigureId::GridProfile, &run, (0, 0));
        tables.push((run, profile.table()));
        if opened.summary.layers == 0 {
            continue;
        }
        let head = (
            1,
            opened
                .summary
                .heads
                .map_or(0, |(heads, _)| heads as usize - 1),
        );
        let of = head_of_first(ScoreMode::Paper, head.0, head.1);
        let fit = ask(&opened.session, HeadOverview { of })
            .expect(name)
            .grid_fit;
        let profile = GridProfile::new(&fit.expect("patches"), ColorMap::Viridis, 0.0);
        let run = format!("{name}-profile");
        add(FigureId::HeadGridProfile, &run, head);
        tables.push((run, profile.table()));
        let similarity = PatchSimilarity {
            of: FIRST,
            similarity: Similarity::Cosine,
            other: None,
            layer: head.0,
        };
        let PatchMaps::ByHead(maps) = ask(&opened.session, similarity).expect(name) else {
            panic!("{name} has a table");
        };
        let run = format!("{name}-maps");
        add(FigureId::GridSimilarity, &run, head);
        tables.push((run, offset_maps(&maps, ColorMap::Viridis).table()));
        let input = ScoreMode::Paper.into();
        let convolutions = HeadConvolutions { of: FIRST, input };
        let layers = ask(&opened.session, convolutions).expect(name);
        let patterns = head_patterns(&layers, ColorMap::Viridis).expect("heads");
        let run = format!("{name}-convolutions");
        add(FigureId::HeadConvolution, &run, head);
        tables.push((run, patterns.table()));
        let mut heads = ask(&opened.session, HeadList { of: FIRST, input }).expect(name);
        heads.sort_by_key(|head| (head.layer, head.head));
        let rows = heads.iter().map(|head| {
            let place = [head.layer, head.head].map(|at| at as f64 + 1.0);
            let peaks = [head.peak_offset, head.causal_peak_offset].map(|peak| peak as f64);
            let r2 = head.r2_2d.expect("patches");
            [&place[..], &[head.r2, head.causal_r2], &peaks, &[r2]].concat()
        });
        let run = format!("{name}-grid");
        add(FigureId::HeadGrid, &run, head);
        lists.push((run, rows.collect::<Vec<Vec<f64>>>()));
    }
    runs.run(&python);
    for (name, table) in tables {
        prints(&runs, &name, &table);
    }
    for (name, rows) in lists {
        rows_are(&runs.rows(&name).1, &rows, 1e-5, &name);
    }
    runs.remove();
}
