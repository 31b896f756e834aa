//! A matrix drawn from tiles: a coarse tile of all of it that comes with an overview, and a tile of the window in the
//! link at the resolution of the figure.

use crate::{
    analysis::{ListedQuestion, Question, TILE_LIMIT},
    app::{
        figure::resolution::MatrixResolution,
        query_client::{Query, QueryClient, QueryStatus},
        state::UrlState,
    },
    math::{Tile, Window},
};
use leptos::prelude::*;
use std::sync::Arc;

/// The tiles of an n × n matrix. `Q` asks for a tile.
pub(super) struct TiledMatrix<Q: Question> {
    /// The tile of the whole matrix in the overview.
    coarse: Memo<Option<Arc<Tile>>>,
    overview_status: Signal<QueryStatus>,
    /// A tile that the overview does not hold.
    tile: Query<Q>,
    /// Whether a question is about the same matrix as the overview, and all n × n cells of it.
    is_of_whole: fn(&Q, usize) -> bool,
    /// Resolution at which the matrix can be drawn.
    pub(super) resolution: MatrixResolution,
}

impl<Q: Question> Clone for TiledMatrix<Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q: Question> Copy for TiledMatrix<Q> {}

impl<Q: ListedQuestion<Answer = Tile>> TiledMatrix<Q> {
    /// Asks for the tile of the linked window unless the overview holds it. `question` forms the question from the
    /// window and the maximum number of blocks per side.
    pub(super) fn ask(
        coarse: Memo<Option<Arc<Tile>>>,
        overview_status: Signal<QueryStatus>,
        is_of_whole: fn(&Q, usize) -> bool,
        question: impl Fn(Window, usize) -> Option<Q> + Send + Sync + 'static,
    ) -> Self {
        let linked = UrlState::from_context().select(|link| link.matrices.window.clone());
        let n = Memo::new(move |_| coarse.with(|tile| Some(tile.as_ref()?.window.rows.len())));
        let resolution = MatrixResolution::new();
        let tile = QueryClient::from_context().ask(move || {
            let n = n.get()?;
            let whole = Window::whole(n, n);
            let window = linked.with(|window| match window {
                Some(window) => window.within(n, n),
                None => whole.clone(),
            });
            let limit = resolution.blocks(&window, TILE_LIMIT);
            let question = question(window, limit)?;
            let comes_anyway = is_of_whole(&question, n) && limit == whole.blocks(TILE_LIMIT);
            (!comes_anyway).then_some(question)
        });
        Self {
            coarse,
            overview_status,
            tile,
            is_of_whole,
            resolution,
        }
    }

    /// Returns the displayed tile.
    pub(super) fn displayed_tile(self) -> Option<Arc<Tile>> {
        if self.shows_overview() {
            self.coarse.get()
        } else {
            self.tile.get()
        }
    }

    /// Returns the question that the displayed tile answers; `None` while the overview's tile is displayed.
    pub(super) fn displayed_question(self) -> Option<Q> {
        let answer = || Some(self.tile.get_with_question()?.0);
        if self.shows_overview() {
            None
        } else {
            answer()
        }
    }

    /// Returns the status of the displayed tile.
    pub(super) fn status(self) -> QueryStatus {
        if self.shows_overview() {
            self.overview_status.get()
        } else {
            self.tile.status()
        }
    }

    /// Whether the overview's tile is displayed until a finer one arrives.
    pub(super) fn is_partial(self) -> bool {
        let is_of_whole = |question: Q| {
            self.coarse.with(|tile| {
                let tile = tile.as_ref();
                tile.is_some_and(|tile| (self.is_of_whole)(&question, tile.window.rows.len()))
            })
        };
        self.tile.question().is_some_and(is_of_whole) && self.tile.is_pending()
    }

    /// Whether the overview's tile is displayed, either as requested or until a finer one arrives.
    fn shows_overview(self) -> bool {
        self.tile.question().is_none() || self.is_partial()
    }
}
