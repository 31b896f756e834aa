//! Lessons: what is open, where it stands, and what its steps do to the page.
//!
//! A lesson stands beside the views and changes nothing but the link: a step is a state of it. The first paint knows no
//! more of lessons than that the link names one.

mod ahead;
mod fetched;
mod filled;
mod fitting;
mod handout;
mod lecture;
mod navigation;
mod opened;
mod panel;
mod placed_block;
mod presenting;
mod speaker;
mod text;

pub(super) use opened::{fetch_address, open_own_lessons};
pub(super) use panel::LessonPanel;
pub(super) use speaker::SpeakerView;

pub(super) use fetched::fetch_list;

use navigation::{SETTLES_WITHIN, Steps};
