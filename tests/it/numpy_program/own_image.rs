//! Programs of an image that the visitor opened have its pixels, and print what the page answers.

use super::{
    opened::prints,
    runs::{ProgramRuns, choices},
};
use crate::support::{python::python, questions::ask};
use diagonal::{
    analysis::{
        ConcatenateHeads, FilterImage, FilterSetting, ImageSource, MemorySession, OwnImage,
        ScoreMode, in_their_places, kernel_of,
    },
    figure::{
        Figure, Table,
        images::{ConcatenatedHeads, FilterPictures, head_ranks},
    },
    math::{Grid, Padding, TapSide},
    numpy_program::{own_image_constant, write},
    url_state::FigureId,
};
use std::{path::PathBuf, sync::Arc};

const KERNEL: &str = "blur";
const ALPHA: f64 = 1.0;
const QUERY: (usize, usize) = (4, 11);

/// An image of more rows than a line of a program has.
fn image() -> OwnImage {
    let grid = Grid {
        height: 9,
        width: 14,
    };
    let byte = |at: usize| (at * at * 7 + at * 13) as u8;
    OwnImage {
        grid,
        bytes: (0..3 * grid.cells()).map(byte).collect(),
    }
}

#[test]
fn programs_have_the_pixels_of_an_own_image() {
    let Some(python) = python("the NumPy programs of own images") else {
        return;
    };
    let kernel = kernel_of(KERNEL).expect("a kernel");
    let of = FilterSetting {
        image: ImageSource::Own(image()),
        heads: in_their_places(&kernel, TapSide::AsWritten, ALPHA),
        head_channels: None,
        kernel,
        side: TapSide::AsWritten,
        padding: Padding::Edge,
        stride: 1,
    };
    let session = MemorySession::default();
    let answer = ask(&session, FilterImage { of: of.clone() }).expect("an answer");
    let pictures = FilterPictures::new(of.image.pixels(), &answer, QUERY);
    let question = ConcatenateHeads { of, query: QUERY };
    let heads = ask(&session, question).expect("an answer");
    let expected: [(FigureId, Table); 3] = [
        (FigureId::FilteredImage, pictures.table()),
        (
            FigureId::HeadRanks,
            head_ranks(&heads).expect("heads").table(),
        ),
        (
            FigureId::ConcatenatedHeads,
            ConcatenatedHeads::new(heads).table(),
        ),
    ];
    let mut runs = ProgramRuns::new("own-image");
    for (figure, _) in &expected {
        let mut choices = choices(*figure, ScoreMode::Paper, (0, 0));
        choices.link.images.sample = None;
        choices.link.images.kernel = KERNEL.to_owned();
        choices.link.images.alpha = ALPHA;
        choices.of_view = Arc::new(|name| own_image_constant(&image(), QUERY, name));
        let program = write(&[], &choices).expect("a program");
        runs.add_with_files::<PathBuf>(figure.id(), &program, &[]);
    }
    runs.run(&python);
    for (figure, table) in expected {
        prints(&runs, figure.id(), &table);
    }
    runs.remove();
}
