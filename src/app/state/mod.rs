//! State of the page, one type for each owner: the link ([`UrlState`]), the models ([`ModelList`]), the open head
//! ([`OpenHead`]), the kernels on the sliders ([`KernelEditor`]), the cursor ([`CursorState`]), the term of a
//! formula ([`HighlightedTerm`]), and the messages ([`Messages`]). Each is a context. [`PageState`] holds all of them, for functions that need several. The comparison
//! of models is created by the first view that needs it.

pub(super) mod comparison;
mod cursor;
pub(super) mod framing;
mod highlighted_term;
mod kernel_editor;
pub(super) mod message;
mod messages;
pub(super) mod model_entry;
mod model_list;
mod open_head;
pub(super) mod own_files;
mod page;
pub(super) mod saving;
pub(super) mod text_runs;
mod url;

pub(super) use cursor::CursorState;
pub(super) use highlighted_term::HighlightedTerm;
pub(super) use kernel_editor::KernelEditor;
pub(super) use messages::{Messages, TableChoice};
pub(super) use model_list::ModelList;
pub(super) use open_head::{OpenHead, PassedText};
pub(super) use own_files::OwnFiles;
pub(super) use page::{PageState, go_to, has_begun};
pub(super) use url::{UrlState, address_of};
