//! Movement from one part of a matrix to another: from all of it to its Toeplitz part, for example.

use crate::{
    app::{display::root::matches_media, figure::view::AnyFigure},
    figure::Heatmap,
};
use leptos::prelude::*;
use std::sync::Arc;

/// Duration of a movement in milliseconds.
const DURATION: f64 = 300.0;

/// A picture of a part of a matrix.
#[derive(Clone)]
pub(super) struct MatrixPicture<M, P> {
    /// The matrix, if the picture answers a question about it.
    pub(super) matrix: Option<M>,
    /// The part of it.
    pub(super) part: P,
    pub(super) picture: Arc<Heatmap>,
}

/// A movement to the current picture.
#[derive(Clone)]
struct Movement {
    /// The picture that was displayed when the movement began.
    from: Arc<Heatmap>,
    /// Time of the beginning, in milliseconds.
    begin: f64,
    /// Time of the current frame, in milliseconds.
    now: f64,
}

impl Movement {
    /// Share of the way, slow at both ends; `None` at the end.
    fn share(&self) -> Option<f64> {
        let time = (self.now - self.begin) / DURATION;
        (time < 1.0).then(|| time * time * (3.0 - 2.0 * time))
    }

    fn picture(&self, to: &Heatmap) -> Option<Heatmap> {
        self.from.between(to, self.share()?)
    }
}

/// Returns what to paint for `target`: a movement of 300 ms if another part of the same matrix follows, otherwise the
/// picture itself. Users who prefer reduced motion see no movement.
pub(super) fn painted_transition<M, P>(
    target: Signal<Option<MatrixPicture<M, P>>>,
) -> Signal<Option<AnyFigure>>
where
    M: Clone + PartialEq + Send + Sync + 'static,
    P: Clone + PartialEq + Send + Sync + 'static,
{
    let movement: RwSignal<Option<Movement>> = RwSignal::new(None);
    let now = || {
        window()
            .performance()
            .map_or(0.0, |performance| performance.now())
    };
    Effect::new(move |before: Option<Option<MatrixPicture<M, P>>>| {
        let current = target.get();
        let is_moved = |(from, to): (&MatrixPicture<M, P>, &MatrixPicture<M, P>)| {
            to.matrix.is_some() && from.matrix == to.matrix && from.part != to.part
        };
        let before = before.flatten();
        let moves = before.as_ref().zip(current.as_ref()).is_some_and(is_moved);
        let earlier = movement.get_untracked();
        if moves && !matches_media("(prefers-reduced-motion: reduce)") {
            let from = before.map(|before| {
                let displayed = earlier.as_ref();
                let displayed = displayed.and_then(|earlier| earlier.picture(&before.picture));
                displayed.map_or(before.picture, Arc::new)
            });
            let begin = now();
            movement.set(from.map(|from| Movement {
                from,
                begin,
                now: begin,
            }));
            if earlier.is_none() {
                advance(movement);
            }
        } else if earlier.is_some() {
            movement.set(None);
        }
        current
    });
    let painted = Memo::new_with_compare(
        move |_| {
            let target = target.get()?.picture;
            let moved = movement.with(|movement| movement.as_ref()?.picture(&target));
            let painted = moved.map_or(target, Arc::new);
            Some(painted as AnyFigure)
        },
        |_, _| true,
    );
    painted.into()
}

/// Advances a movement with every frame until its end.
fn advance(movement: RwSignal<Option<Movement>>) {
    request_animation_frame(move || {
        let now = window()
            .performance()
            .map_or(0.0, |performance| performance.now());
        // The view may have been left.
        let goes_on = movement.try_update(|movement| {
            let current = movement.as_mut()?;
            current.now = now;
            if current.share().is_none() {
                *movement = None;
            }
            movement.as_ref().map(|_| ())
        });
        if goes_on.flatten().is_some() {
            advance(movement);
        }
    });
}
