//! Programs that need no page print the numbers of their figures: planted waves, and the cone below the cosines.

use super::opened::Opened;
use crate::support::{
    models::data,
    python::{printed, python},
    questions::{FIRST, ask, folder},
    root,
};
use diagonal::{
    analysis::TableContinuity,
    figure::{ColorMap, Figure, Table, lipschitz_cone, planted_attention, planted_waves},
    math::AttentionMask,
    model::ModelOptions,
    numpy_program::{Choices, write},
    url_state::{FigureId, Link},
};
use serde_json::json;
use std::{fs, process::Command, sync::Arc};

fn choices(figure: FigureId, link: Link) -> Choices {
    Choices {
        figure,
        link,
        summary: None,
        head: None,
        second: None,
        cells: AttentionMask::Whole,
        lengths: (0, 0),
        table: Table::default(),
        of_view: Arc::new(|_| None),
    }
}

fn numbers(csv: &str) -> Vec<f64> {
    let cells = csv.lines().skip(1).flat_map(|line| line.split(','));
    let number = |cell: &str| cell.parse().expect("a number");
    cells.map(number).collect()
}

#[test]
fn programs_of_demonstrations_print_their_numbers() {
    let Some(python) = python("the NumPy programs of demonstrations") else {
        return;
    };
    // A program, the table of its figure, and the files that it reads.
    let mut cases = Vec::new();
    for query in [
        "",
        "planted-waves=f:1,24;shift:-2.5;basis:7",
        "planted-waves=f:2,3,7;t:50;one-angle;angle:-75;s:0.5",
        "planted-waves=one-angle;basis:999999",
    ] {
        let (link, warnings) = Link::parse(query);
        assert_eq!(warnings.message(), None, "{query}");
        let choice = &link.encodings.planted_waves;
        let (waves, s) = (choice.waves(), choice.sharpness);
        let tables = [
            (FigureId::PlantedWaves, planted_waves(&waves).table()),
            (
                FigureId::PlantedAttention,
                planted_attention(&waves, s, ColorMap::Viridis).table(),
            ),
        ];
        for (figure, table) in tables {
            let program = write(&[], &choices(figure, link.clone())).expect("a program");
            cases.push((program, table.csv(), None));
        }
    }
    let bert = Opened::new(folder("bert"), ModelOptions::default());
    let cones = ask(&bert.session, TableContinuity { of: FIRST }).expect("an answer");
    let table = lipschitz_cone(&cones.expect("cones"), false).table();
    let program = bert.program(&choices(FigureId::LipschitzCone, Link::default()));
    let file = data("bert").join("model.safetensors");
    cases.push((program.expect("a program"), table.csv(), Some(file)));

    let folder = std::env::temp_dir().join(format!("diagonal-numpy-demos-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let paths = |at: usize| ["py", "csv"].map(|end| folder.join(format!("{at}.{end}")));
    let list = cases.iter().enumerate().map(|(at, (program, _, file))| {
        let [path, output] = paths(at);
        fs::write(&path, program).expect("written");
        let arguments: Vec<_> = file.iter().collect();
        json!({ "path": path, "arguments": arguments, "output": output })
    });
    let list: Vec<_> = list.collect();
    let path = folder.join("list.json");
    fs::write(&path, serde_json::to_vec(&list).expect("JSON")).expect("written");
    let mut command = Command::new(python);
    command
        .arg(root().join("tests/it/numpy_program/run_programs.py"))
        .arg(path);
    printed(command);
    for (at, (program, csv, _)) in cases.iter().enumerate() {
        let text = fs::read_to_string(&paths(at)[1]).expect("a CSV file");
        assert_eq!(text.lines().next(), csv.lines().next(), "{program}");
        let (found, expected) = (numbers(&text), numbers(csv));
        assert_eq!(found.len(), expected.len(), "{program}");
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                (found - expected).abs() < 1e-6,
                "{found}, expected {expected}: {program}"
            );
        }
    }
    // Removed only after success, for a look at what failed.
    let _ = fs::remove_dir_all(&folder);
}
