//! Movement of the position matrix from one part to another, such as from all of it to its Toeplitz part.
//!
//! The movement is a lazy part: the first matrix does not move.

use super::position_answers::PositionAnswers;
use crate::{
    analysis::{MatrixPart, ModelVersion, Similarity},
    app::{display::root::matches_media, figure::view::AnyFigure, lazy::lazy_view},
    figure::Heatmap,
};
use leptos::prelude::*;
use std::sync::Arc;

lazy_view! {
    /// The movement, as a lazy part.
    pub(super) const MATRIX_TRANSITION = MovingMatrix in details;
}

/// Duration of a movement in milliseconds.
const DURATION: f64 = 300.0;

/// The matrix that moves, as context of the lazy part.
#[derive(Clone, Copy)]
pub(super) struct MatrixTransition {
    pub(super) answers: PositionAnswers,
    /// The current picture of the matrix.
    pub(super) figure: Signal<Option<AnyFigure>>,
    /// The picture that is painted in its place during a movement.
    pub(super) frame: RwSignal<Option<AnyFigure>>,
}

/// A picture of a part of a matrix.
#[derive(Clone)]
struct PartPicture {
    matrix: (ModelVersion, Similarity),
    part: MatrixPart,
    picture: Heatmap,
}

/// A movement to the current picture.
struct Movement {
    from: Heatmap,
    to: Heatmap,
    /// Time of the beginning, in milliseconds.
    begin: f64,
}

impl Movement {
    /// Returns the picture at a time, slow at both ends; `None` at the end.
    fn picture(&self, now: f64) -> Option<Heatmap> {
        let time = (now - self.begin) / DURATION;
        let share = (time < 1.0).then_some(time * time * (3.0 - 2.0 * time))?;
        self.from.between(&self.to, share)
    }
}

impl MatrixTransition {
    fn current(self) -> Option<PartPicture> {
        let (matrix, part) = self.answers.displayed_part();
        Some(PartPicture {
            matrix: matrix?,
            part,
            picture: self.figure.get()?.as_heatmap()?.clone(),
        })
    }
}

/// Moves the matrix for 300 ms whenever another part of the same matrix follows. Visitors who prefer reduced motion see no
/// movement.
#[component]
fn MovingMatrix() -> impl IntoView {
    let transition: MatrixTransition = expect_context();
    let movement: StoredValue<Option<Movement>> = StoredValue::new(None);
    Effect::new(move |before: Option<Option<PartPicture>>| {
        let current = transition.current();
        let is_running = movement.with_value(Option::is_some);
        let before = before.flatten();
        let next = before.zip(current.as_ref()).filter(|(from, to)| {
            let is_moved = from.matrix == to.matrix && from.part != to.part;
            is_moved && !matches_media("(prefers-reduced-motion: reduce)")
        });
        let next = next.map(|(from, to)| {
            let now = now();
            let frame = movement.with_value(|movement| movement.as_ref()?.picture(now));
            Movement {
                from: frame.unwrap_or(from.picture),
                to: to.picture.clone(),
                begin: now,
            }
        });
        let starts = next.is_some() && !is_running;
        movement.set_value(next);
        if starts {
            advance(transition.frame, movement);
        }
        current
    });
}

/// Paints the picture of this moment, and again with every frame until the end.
fn advance(frame: RwSignal<Option<AnyFigure>>, movement: StoredValue<Option<Movement>>) {
    // The view may have been left.
    let picture = movement.try_with_value(|movement| movement.as_ref()?.picture(now()));
    let Some(picture) = picture else { return };
    let goes_on = picture.is_some();
    let painted = picture.map(|picture| Arc::new(picture) as AnyFigure);
    if frame.try_set(painted).is_some() {
        return;
    }
    if goes_on {
        request_animation_frame(move || advance(frame, movement));
    } else {
        movement.set_value(None);
    }
}

fn now() -> f64 {
    window()
        .performance()
        .map_or(0.0, |performance| performance.now())
}
