//! Identifiers of finished lessons in the local storage of the browser. Where storage is blocked, no lesson is recorded.

use crate::{
    app::display::theme::{choose, stored_choice},
    url_state::LessonPlace,
};

/// Key of the identifiers in local storage, separated by commas.
const KEY: &str = "diagonal-finished-lessons";

/// Returns the identifiers of the page's lessons whose last step was reached.
pub(super) fn finished_lessons() -> Vec<String> {
    let stored = stored_choice(KEY).unwrap_or_default();
    let ids = stored.split(',').filter(|id| !id.is_empty());
    ids.map(str::to_owned).collect()
}

/// Records a lesson of the page as finished, by its name in links. Other people's lessons are not recorded.
pub(super) fn record_finished(name: &str) {
    let LessonPlace::Page(id) = LessonPlace::from_name(name) else {
        return;
    };
    let mut ids = finished_lessons();
    if !ids.iter().any(|other| other == id) {
        ids.push(id.to_owned());
        choose(KEY, &ids.join(","));
    }
}
