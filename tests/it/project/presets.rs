//! The presets that the page lists are those in `www/presets/`.

use crate::support::root;
use diagonal::model::{MODEL_SAMPLES, PRESETS, Preset};
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn presets_are_those_of_the_manifest() {
    let folder = root().join("www/presets");
    let text = std::fs::read(folder.join("manifest.json")).expect("the manifest");
    let manifest: Vec<Value> = serde_json::from_slice(&text).expect("a list");
    let listed: Vec<_> = manifest
        .iter()
        .map(|preset| (preset["id"].as_str(), preset["file"].as_str()))
        .collect();
    let shipped: Vec<_> = PRESETS.iter().map(|p| (Some(p.id), Some(p.file))).collect();
    assert_eq!(listed, shipped);
    let mut files = BTreeSet::from(["manifest.json".to_owned()]);
    for (preset, shipped) in manifest.iter().zip(PRESETS) {
        let positions = &preset["positions"];
        assert_eq!(positions["file"].as_str(), shipped.positions);
        let shape = (preset["rows"].as_u64(), preset["width"].as_u64());
        let (rows, width) = shipped.shape;
        assert_eq!(shape, (Some(rows as u64), Some(width as u64)));
        let listed_files = [preset, positions]
            .into_iter()
            .filter(|file| !file.is_null());
        for listed in listed_files {
            let name = listed["file"].as_str().expect("a file");
            let file = folder.join(name);
            let size = std::fs::metadata(&file).expect("the preset").len();
            assert_eq!(listed["bytes"].as_u64(), Some(size), "{}", file.display());
            files.insert(name.to_owned());
        }
        // The first figure has to be there soon.
        let (first, most) = match positions.is_null() {
            true => (preset, 700_000),
            false => (positions, 400_000),
        };
        assert!(first["bytes"].as_u64().expect("a size") <= most);
        // The text of Apache-2.0 is that of the project.
        let licence = preset["licence_file"].as_str();
        assert_eq!(licence.is_none(), preset["licence"] == "Apache-2.0");
        files.extend(licence.map(str::to_owned));
    }
    // Runs are in a folder of their own.
    let stored = std::fs::read_dir(&folder).expect("a folder");
    let stored = stored.map(|file| file.expect("a file").path());
    let stored = stored.filter(|path| path.is_file());
    let stored = stored.map(|path| path.file_name().expect("a name").to_owned().into_string());
    let stored: Result<BTreeSet<_>, _> = stored.collect();
    assert_eq!(stored, Ok(files));
    let samples: u64 = (manifest.iter().skip(1))
        .filter_map(|preset| preset["bytes"].as_u64())
        .sum();
    assert!(samples <= 2_000_000, "{samples} bytes of samples");
}

/// A licence that is not the project's own is a text beside the files.
#[test]
fn licences_are_beside_the_presets() {
    let folder = root().join("www/presets");
    for package in ["rxnmapper", "sapiens", "rxnfp"] {
        let file = folder.join(format!("{package}-LICENSE.txt"));
        let text = std::fs::read_to_string(&file).expect("a licence");
        assert!(
            text.contains("Copyright") && text.contains("Permission is hereby granted"),
            "{}",
            file.display()
        );
    }
}

/// Every preset but the first is in one sample.
#[test]
fn samples_are_all_presets_but_the_first() {
    let listed: Vec<&str> = (MODEL_SAMPLES.iter())
        .flat_map(|sample| sample.presets.iter().copied())
        .collect();
    let presets: Vec<&str> = PRESETS[1..].iter().map(|preset| preset.id).collect();
    assert_eq!(listed, presets);
    for preset in PRESETS {
        assert_eq!(
            Preset::find(preset.id).map(|found| found.file),
            Some(preset.file)
        );
    }
}
