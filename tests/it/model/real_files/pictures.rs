//! Image patches on rectangular grids, tokens before and after them, and three-dimensional windows.

use diagonal::model::{Config, Correction, ModelError, ModelOptions, PositionSource};

use crate::support::models::{Stored, Tensors, f32s, note, open_model, write};

/// A table whose neighbouring patches are similar, in an image of these sides, with token rows before and after.
fn table(before: usize, (height, width): (usize, usize), after: usize) -> Stored {
    const COLUMNS: usize = 24;
    let rows = before + height * width + after;
    f32s(&[1, rows, COLUMNS], |at| {
        let (row, column) = (at / COLUMNS, at % COLUMNS);
        // Pseudo-random numbers, for tokens and as noise on patches.
        let noise = ((at * 2_654_435_761 % 1009) as f32 / 1009.0) - 0.5;
        let Some(patch) = row
            .checked_sub(before)
            .filter(|patch| *patch < height * width)
        else {
            return 3.0 * noise;
        };
        let (y, x) = ((patch / width) as f32, (patch % width) as f32);
        let wave = 0.25 * (1 + column / 4) as f32;
        let value = match column % 4 {
            0 => (wave * y).sin(),
            1 => (wave * y).cos(),
            2 => (wave * x).sin(),
            _ => (wave * x).cos(),
        };
        value + 0.2 * noise
    })
}

/// The same table with timm's names, and these token tensors: name, number.
fn timm(table: Stored, tokens: &[(&str, usize)]) -> Tensors {
    let mut all = Tensors::new();
    all.insert("pos_embed".to_owned(), table);
    all.insert(
        "patch_embed.proj.weight".to_owned(),
        f32s(&[24, 3, 2, 2], |_| 0.0),
    );
    for (name, count) in tokens {
        all.insert((*name).to_owned(), f32s(&[1, *count, 24], |_| 0.0));
    }
    all
}

struct Found {
    rows: usize,
    grid: Option<(usize, usize)>,
    possible: usize,
    left_out: String,
    notes: Vec<String>,
}

fn read_picture(tensors: &Tensors, config: Option<&Config>, choice: &ModelOptions) -> Found {
    let (_, model) = open_model(write(tensors), config, choice).expect("it opens");
    let PositionSource::Table(table) = &model.positions else {
        panic!("a table");
    };
    Found {
        rows: table.rows.nrows(),
        grid: table.grid.map(|grid| (grid.height, grid.width)),
        possible: model.possible_grids.len(),
        left_out: note(&model, "Rows left out").unwrap_or_default().to_owned(),
        notes: model.notes.iter().map(|note| note.title.clone()).collect(),
    }
}

#[test]
fn tokens_and_the_table_itself_say_how_patches_lie() {
    for (before, sides, after, tokens) in [
        (1, (16, 8), 0, &[("cls_token", 1), ("mask_token", 1)][..]),
        (1, (8, 16), 0, &[("cls_token", 1)]),
        (2, (16, 12), 0, &[("cls_token", 1), ("dist_token", 1)]),
        (1, (21, 10), 0, &[("class_token", 1)]),
        // Registers with rows in the table, and without.
        (5, (16, 8), 0, &[("cls_token", 1), ("reg_token", 4)]),
        (1, (16, 8), 0, &[("cls_token", 1), ("register_tokens", 4)]),
        // A token without a row.
        (0, (16, 8), 0, &[("cls_token", 1)]),
        // Tokens after the patches, as in YOLOS.
        (1, (10, 14), 10, &[("cls_token", 1), ("det_token", 10)]),
        (1, (12, 12), 7, &[("cls_token", 1), ("det_token", 7)]),
        // No token at all.
        (0, (9, 12), 0, &[]),
        (1, (16, 12), 0, &[]),
    ] {
        let what = format!("{sides:?} behind {before}, {tokens:?}");
        let all = timm(table(before, sides, after), tokens);
        let found = read_picture(&all, None, &ModelOptions::default());
        assert_eq!(
            (found.rows, found.grid),
            (sides.0 * sides.1, Some(sides)),
            "{what}"
        );
        assert_eq!(
            found.left_out.is_empty(),
            before + after == 0,
            "{what}: {}",
            found.left_out
        );
        assert_eq!(
            found.left_out.contains("detect objects"),
            after > 0,
            "{what}: {}",
            found.left_out
        );
        let is_guess = sides.0 != sides.1;
        assert_eq!(
            found
                .notes
                .iter()
                .any(|title| title == "Shape of the image"),
            is_guess,
            "{what}"
        );
        assert!(found.possible > 1, "{what}");
    }
}

#[test]
fn a_shape_can_be_chosen_and_a_configuration_counts_before_a_guess() {
    let all = timm(table(1, (16, 8), 0), &[("cls_token", 1)]);
    let chosen = |patches| ModelOptions {
        patches: Some(patches),
        ..ModelOptions::default()
    };
    assert_eq!(
        read_picture(&all, None, &chosen((32, 4))).grid,
        Some((32, 4))
    );
    // A chosen grid that does not fit is ignored.
    assert_eq!(
        read_picture(&all, None, &chosen((5, 5))).grid,
        Some((16, 8))
    );
    // Overlapping patches: (256 − 16) / 12 + 1 and (128 − 16) / 12 + 1.
    let strided =
        r#"{"model_args": {"img_size": [256, 128], "patch_size": 16, "stride_size": 12}}"#;
    let strided = Config::parse(strided).expect("a configuration");
    let all = timm(
        f32s(&[1, 211, 24], |at| (at % 7) as f32),
        &[("cls_token", 1)],
    );
    let counted = read_picture(&all, Some(&strided), &ModelOptions::default());
    assert_eq!(
        (counted.rows, counted.grid, counted.possible),
        (210, Some((21, 10)), 0)
    );
    // With token rows included there is no image.
    let all = timm(
        table(1, (10, 14), 10),
        &[("cls_token", 1), ("det_token", 10)],
    );
    let whole = read_picture(
        &all,
        None,
        &ModelOptions::default().switch(Correction::LeadingRows),
    );
    assert_eq!((whole.rows, whole.grid), (151, None));
}

/// The same with the names of the transformers library.
fn hub(table: Stored, tokens: &[(&str, usize)]) -> Tensors {
    let mut all = Tensors::new();
    all.insert("vit.embeddings.position_embeddings".to_owned(), table);
    let patches = "vit.embeddings.patch_embeddings.projection.weight";
    all.insert(patches.to_owned(), f32s(&[24, 3, 2, 2], |_| 0.0));
    for (name, count) in tokens {
        all.insert(
            format!("vit.embeddings.{name}"),
            f32s(&[1, *count, 24], |_| 0.0),
        );
    }
    all
}

#[test]
fn yolos_and_spectrograms_have_the_shape_of_their_configuration() {
    let yolos = hub(
        table(1, (4, 6), 5),
        &[("cls_token", 1), ("detection_tokens", 5)],
    );
    let parsed =
        Config::parse(r#"{"model_type": "yolos", "image_size": [64, 96], "patch_size": 16}"#);
    for config in [Some(parsed.expect("a configuration")), None] {
        let found = read_picture(&yolos, config.as_ref(), &ModelOptions::default());
        assert_eq!((found.rows, found.grid), (24, Some((4, 6))));
        assert!(
            found.left_out.contains("first 1 and the last 5 rows"),
            "{}",
            found.left_out
        );
    }
    // AST cuts a spectrogram of 32 × 128 into overlapping patches of 16: 2 × 12.
    let tokens = [("cls_token", 1), ("distillation_token", 1)];
    let sound = hub(f32s(&[1, 26, 24], |at| (at % 5) as f32), &tokens);
    let config = r#"{"num_mel_bins": 32, "max_length": 128, "patch_size": 16, "frequency_stride": 10,
        "time_stride": 10}"#;
    let config = Config::parse(config).expect("a configuration");
    let found = read_picture(&sound, Some(&config), &ModelOptions::default());
    assert_eq!((found.rows, found.grid), (24, Some((2, 12))));
}

/// Tensors of one Swin block: a table with this many rows, an index, and the patch embedding.
fn swin(rows: usize, index: Option<&[usize]>, patch: &[usize]) -> Vec<u8> {
    let mut all = Tensors::new();
    let stem = "layers.0.blocks.0.attn";
    let table = f32s(&[rows, 2], |at| (at as f32 * 0.37).sin());
    all.insert(format!("{stem}.relative_position_bias_table"), table);
    if let Some(shape) = index {
        all.insert(
            format!("{stem}.relative_position_index"),
            f32s(shape, |_| 0.0),
        );
    }
    all.insert("patch_embed.proj.weight".to_owned(), f32s(patch, |_| 0.0));
    write(&all)
}

#[test]
fn windows_of_three_dimensions_are_no_pictures() {
    let (flat, deep) = (&[4, 3, 2, 2][..], &[4, 3, 2, 2, 2][..]);
    for (rows, index, patch, words) in [
        // 441 = 21² rows are 11 × 11 patches only if the index confirms it.
        (441, Some(&[80, 80][..]), flat, "5 × 4 × 4"),
        (729, Some(&[125, 125]), flat, "5 × 5 × 5"),
        (2535, Some(&[392, 392]), deep, "8 × 7 × 7"),
        (441, Some(&[6400]), flat, "5 × 4 × 4"),
        (441, None, deep, "441 rows"),
        (2535, None, deep, "2535 rows"),
    ] {
        let error = open_model(swin(rows, index, patch), None, &ModelOptions::default());
        let error = error.map(|_| ()).expect_err("a film");
        assert!(matches!(error, ModelError::ThreeOffsets { .. }), "{error}");
        let message = error.to_string();
        assert!(
            message.contains("biases by three offsets") && message.contains(words),
            "{message}"
        );
    }
    for (rows, index, sides) in [
        (441, Some(&[121, 121][..]), (11, 11)),
        (441, None, (11, 11)),
        // The number of rows alone does not determine a rectangular window.
        (7 * 15, Some(&[32, 32]), (4, 8)),
    ] {
        let (_, model) =
            open_model(swin(rows, index, flat), None, &ModelOptions::default()).expect("a picture");
        let grid = model.positions.grid().expect("a window");
        assert_eq!((grid.height, grid.width), sides);
    }
    let error = open_model(
        swin(441, Some(&[97, 97]), flat),
        None,
        &ModelOptions::default(),
    );
    assert!(matches!(
        error.map(|_| ()),
        Err(ModelError::Window { cells: 97, .. })
    ));
    // MONAI counts stages from 1.
    let mut all = Tensors::new();
    let stem = "swinViT.layers1.0.blocks.0.attn";
    let table = f32s(&[13 * 13 * 13, 2], |at| (at as f32 * 0.37).sin());
    all.insert(format!("{stem}.relative_position_bias_table"), table);
    all.insert(
        format!("{stem}.relative_position_index"),
        f32s(&[343, 343], |_| 0.0),
    );
    let error = open_model(write(&all), None, &ModelOptions::default()).map(|_| ());
    assert!(error.is_err_and(|error| error.to_string().contains("7 × 7 × 7")));
}
