//! Prefetches the next lesson step: its view, its answers, and its model if that is a preset of the page. The view is
//! built in a state of its own and never mounted, so nothing is displayed or painted. The answers are cached when the
//! step is reached; without prefetching, one step in ten waited half a second for them.

use super::Steps;
use crate::{
    app::{
        figure::registry::FigureRegistry, models::opening::Opener, state::PageState,
        views::ViewRenderer,
    },
    url_state::{FigureId, Link, View},
};
use leptos::{prelude::*, tachys::view::any_view::AnyViewState};
use std::time::Duration;

/// Delay between the completion of a step's highlighted figures and the prefetch.
const PAUSE: Duration = Duration::from_millis(200);

/// A view that is built but not mounted. Dropping it cleans up its reactive owner.
struct PrefetchedView {
    owner: Owner,
    view: AnyViewState,
}

impl Drop for PrefetchedView {
    fn drop(&mut self) {
        self.view.unmount();
        self.owner.cleanup();
    }
}

/// Prefetches each step once the highlighted figures of the step before it are complete.
pub(super) fn make_ahead(steps: Steps) {
    let (Some(page), opener) = (Owner::current(), Opener::from_context()) else {
        return;
    };
    let registry = FigureRegistry::from_context();
    let unseen: StoredValue<Option<PrefetchedView>, LocalStorage> = StoredValue::new_local(None);
    let is_whole = move |id: &String| {
        let figure = FigureId::from_id(id).and_then(|id| registry.find(id));
        figure.is_some_and(|figure| figure.is_whole.get())
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
                    opener.prefetch(&link.model);
                    let registry = FigureRegistry::new();
                    registry.use_in_step(steps.figures_at(at + 1));
                    unseen.set_value(Some(make(&page, steps.state(), link, registry)));
                }
            },
            PAUSE,
        );
    });
}

/// Builds the view of a link without mounting it.
fn make(page: &Owner, state: PageState, link: Link, registry: FigureRegistry) -> PrefetchedView {
    let owner = page.with(Owner::new);
    let view = owner.with(|| {
        let ahead = state.beside(link);
        ahead.provide();
        provide_context(registry);
        follow_model(ahead);
        let ViewRenderer(current_view) = expect_context();
        current_view().build()
    });
    PrefetchedView { owner, view }
}

/// Sets the prefetched state's open model once the model list has it with the options of the link.
fn follow_model(ahead: PageState) {
    let (model, choice, view) = ahead
        .url
        .link
        .with_untracked(|link| (link.model.clone(), link.choice.clone(), link.view));
    let open_model = Memo::new(move |_| {
        ahead.models.entries.with(|entries| {
            let item = entries
                .iter()
                .find(|item| item.reference == model && item.choice == choice)?;
            item.version
                .filter(|open_model| !open_model.is_table_alone() || view == View::Positions)
        })
    });
    Effect::new(move || ahead.models.open.set(open_model.get()));
}
