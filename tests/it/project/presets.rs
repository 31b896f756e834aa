//! The presets that the page lists are those in `www/presets/`.

use diagonal::model::PRESETS;
use serde_json::Value;
use std::path::Path;

#[test]
fn presets_are_those_of_the_manifest() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/presets");
    let text = std::fs::read(folder.join("manifest.json")).expect("the manifest");
    let manifest: Vec<Value> = serde_json::from_slice(&text).expect("a list");
    let listed: Vec<_> = manifest
        .iter()
        .map(|preset| (preset["id"].as_str(), preset["file"].as_str()))
        .collect();
    let shipped: Vec<_> = PRESETS.iter().map(|p| (Some(p.id), Some(p.file))).collect();
    assert_eq!(listed, shipped);
    for (preset, shipped) in manifest.iter().zip(PRESETS) {
        let positions = &preset["positions"];
        assert_eq!(positions["file"], shipped.positions);
        let shape = (preset["rows"].as_u64(), preset["width"].as_u64());
        let (rows, width) = shipped.shape;
        assert_eq!(shape, (Some(rows as u64), Some(width as u64)));
        for listed in [preset, positions] {
            let file = folder.join(listed["file"].as_str().expect("a file"));
            let size = std::fs::metadata(&file).expect("the preset").len();
            assert_eq!(listed["bytes"].as_u64(), Some(size), "{}", file.display());
        }
        // The first figure has to be there soon.
        assert!(positions["bytes"].as_u64().expect("a size") <= 400_000);
    }
    let files = std::fs::read_dir(&folder).expect("a folder");
    assert_eq!(
        files.count(),
        2 * PRESETS.len() + 1,
        "a file in {} is no preset",
        folder.display()
    );
}
