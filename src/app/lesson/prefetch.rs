//! The next step, made ready while this one is read: what fetches its view, asks its questions, and opens its model if
//! that comes with the page. The view is made as any is, in a state of its own, and put into no document, so nothing of
//! it is seen, and it paints nothing. Once the step is reached, the answers are there: without this one step in ten waited
//! half a second for them.

use super::Steps;
use crate::{
    app::{
        figure::registry::FigureRegistry, models::opening::Opener, shell::shown_view::ShownView,
        state::page::PageState,
    },
    url_state::{Link, View},
};
use leptos::{prelude::*, tachys::view::any_view::AnyViewState};
use std::time::Duration;

/// After what a step lights is whole, the page is left alone for so long.
const PAUSE: Duration = Duration::from_millis(200);

/// A view that nobody sees.
struct Unseen {
    owner: Owner,
    view: AnyViewState,
}

impl Drop for Unseen {
    fn drop(&mut self) {
        self.view.unmount();
        self.owner.cleanup();
    }
}

/// Makes each step ready once what the one before it lights is whole.
pub(super) fn make_ahead(steps: Steps) {
    let (Some(page), opener) = (Owner::current(), Opener::from_context()) else {
        return;
    };
    let standing = FigureRegistry::from_context();
    let unseen: StoredValue<Option<Unseen>, LocalStorage> = StoredValue::new_local(None);
    let is_whole = move |id: &String| {
        standing
            .find(id)
            .is_some_and(|figure| figure.is_whole.get())
    };
    let read = Memo::new(move |_| {
        let at = steps.at.get();
        steps.step(at).light.iter().all(is_whole).then_some(at)
    });
    Effect::new(move || {
        let Some(at) = read.get() else {
            return;
        };
        let page = page.clone();
        set_timeout(
            move || {
                let is_still = read.try_get_untracked().flatten() == Some(at);
                if let Some(link) = is_still.then(|| steps.ahead_of(at)).flatten() {
                    opener.open_ahead(&link.model);
                    unseen.set_value(Some(make(&page, steps.state(), link)));
                }
            },
            PAUSE,
        );
    });
}

/// Makes the view of a link.
fn make(page: &Owner, state: PageState, link: Link) -> Unseen {
    let owner = page.with(Owner::new);
    let view = owner.with(|| {
        let ahead = state.beside(link);
        provide_context(ahead);
        provide_context(FigureRegistry::new());
        follow_model(ahead);
        view! { <ShownView/> }.into_any().build()
    });
    Unseen { owner, view }
}

/// Has a state's model open as soon as it is at hand as the state's link wants it.
fn follow_model(ahead: PageState) {
    let (model, choice, view) = ahead
        .link
        .with_untracked(|link| (link.model.clone(), link.choice.clone(), link.view));
    let opened = Memo::new(move |_| {
        ahead.shelf.with(|shelf| {
            let item = shelf
                .iter()
                .find(|item| item.reference == model && item.choice == choice)?;
            item.opened
                .filter(|opened| !opened.is_table_alone() || view == View::Positions)
        })
    });
    Effect::new(move || ahead.open.set(opened.get()));
}
