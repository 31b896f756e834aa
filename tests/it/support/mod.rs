//! Helpers of the tests: sessions, models of every family, and reference implementations.

use diagonal::{figure_spec::FigureSpec, url_state::FigureId};

mod folders;
pub(crate) mod models;
pub(crate) mod oracles;
pub(crate) mod python;
pub(crate) mod questions;
pub(crate) mod tile_oracles;

pub(crate) use folders::root;

/// The specification of a figure, by its identifier.
pub(crate) fn spec(id: &str) -> &'static FigureSpec {
    let found = FigureId::from_id(id).and_then(FigureSpec::find);
    found.unwrap_or_else(|| panic!("no figure is called {id}"))
}
