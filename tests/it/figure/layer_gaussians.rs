//! Gaussian heads of all layers: columns, one scale, and the numbers of a stored model.

use crate::support::questions::{FIRST, ask, folder, open};
use diagonal::{
    analysis::{MemorySession, StoredGaussians},
    figure::{
        Cursor, Figure, Mark,
        images::{LayerGaussians, PixelHeads},
    },
    math::{Covariance, HeadShape, PixelHead},
    model::ModelOptions,
};

fn round(centre: (f64, f64), alpha: f64) -> PixelHead {
    let shape = HeadShape::Round(alpha);
    PixelHead { centre, shape }
}

fn layers() -> Vec<Vec<PixelHead>> {
    let oval = PixelHead {
        centre: (1.5, -2.0),
        shape: HeadShape::Oval(Covariance {
            yy: 0.5,
            yx: -0.25,
            xx: 2.0,
        }),
    };
    vec![
        vec![round((0.0, 1.0), 1.0), round((-1.0, 0.0), 0.5)],
        vec![round((3.0, 1.0), 0.25), oval],
        vec![round((0.0, 0.0), 2.0)],
    ]
}

/// The figure, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let figure = LayerGaussians::new(&layers()).expect("heads");
    vec![("layer-gaussians", Box::new(figure), None)]
}

#[test]
fn each_head_has_a_row_with_its_layer() {
    let figure = LayerGaussians::new(&layers()).expect("heads");
    let csv = figure.table().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "layer,head,alpha,delta_y,delta_x,yy,yx,xx,inside_solid,inside_dotted"
    );
    assert!(lines[1].starts_with("1,1,1,0,1,0.5,0,0.5,"), "{}", lines[1]);
    assert!(lines[4].starts_with("2,2,"), "{}", lines[4]);
    assert!(lines[4].contains(",1.5,-2,0.5,-0.25,2,"), "{}", lines[4]);
    assert!(lines[5].starts_with("3,1,2,0,0,"), "{}", lines[5]);
    assert_eq!(lines.len(), 6);
    let summary = figure.summary();
    assert!(
        summary.starts_with(
            "Heads of 3 layers, in pixels: layer 1 has 2 heads, α 0.500 to 1.00, the farthest centre at a distance of 1.00; "
        ),
        "{summary}"
    );
    assert!(LayerGaussians::new(&[]).is_none());
    assert!(LayerGaussians::new(&[Vec::new()]).is_none());
}

/// The boxes of the query pixel.
fn queries(figure: &dyn Figure, width: f64) -> Vec<(f64, f64)> {
    let boxes = figure
        .scene(width)
        .marks
        .into_iter()
        .filter_map(|mark| match mark {
            Mark::Box {
                rect,
                fill: Some(_),
                ..
            } => Some((rect.width, rect.height)),
            _ => None,
        });
    boxes.collect()
}

#[test]
fn panels_have_one_scale_and_stay_in_the_figure() {
    let figure = LayerGaussians::new(&layers()).expect("heads");
    for width in [180.0, 320.0, 640.0, 1100.0] {
        let boxes = queries(&figure, width);
        assert_eq!(boxes.len(), 3, "at {width}");
        assert!(
            boxes.iter().all(|size| (size.0 - boxes[0].0).abs() < 1e-9),
            "{boxes:?}"
        );
        let scene = figure.scene(width);
        for mark in &scene.marks {
            if let Mark::Dot { at, radius, .. } = mark {
                assert!(at.0 >= *radius && at.0 <= width, "{at:?} at {width}");
                assert!(at.1 >= 0.0 && at.1 <= scene.height, "{at:?} at {width}");
            }
        }
    }
}

/// The rows of a layer are those of the figure of that layer alone.
#[test]
fn layers_of_a_stored_model_have_the_numbers_of_their_heads() {
    for name in ["attention-cnn", "attention-cnn-torch"] {
        let session = MemorySession::default();
        open(&session, folder(name), ModelOptions::default()).expect(name);
        let layers = ask(&session, StoredGaussians { of: FIRST }).expect(name);
        let layers = layers.expect(name);
        let all = LayerGaussians::new(&layers).expect(name).table().csv();
        let mut rows = all.lines().skip(1);
        for (layer, heads) in layers.iter().enumerate() {
            let alone = PixelHeads::new(heads, 0, None).table().csv();
            for row in alone.lines().skip(1) {
                assert_eq!(
                    rows.next(),
                    Some(format!("{},{row}", layer + 1).as_str()),
                    "{name}"
                );
            }
        }
        assert_eq!(rows.next(), None, "{name}");
    }
}
