//! Lessons: what is open, where it stands, and what its steps do to the page.
//!
//! A lesson stands beside the views and changes nothing but the link: a step is a state of it. The first paint knows no
//! more of lessons than that the link names one.

mod fitting;
mod handout;
mod interpolation;
mod lecture;
mod lesson_files;
mod loading;
mod navigation;
mod panel;
mod placed_block;
mod prefetch;
mod presenting;
mod speaker;
mod text;

pub(super) use loading::{fetch_address, open_own_lessons};
pub(super) use panel::LessonPanel;
pub(super) use speaker::SpeakerView;

pub(super) use lesson_files::fetch_list;

use navigation::{SETTLES_WITHIN, Steps};
