//! A fold over a group of figures, which are created when it is unfolded.

use super::collapsible_section::CollapsibleSection;
use crate::{
    app::{figure::registry::FigureRegistry, state::UrlState},
    url_state::{FigureGroup, FigureId},
};
use leptos::prelude::*;

/// A group of figures that is folded at first. It unfolds when the visitor asks for it, or when the link or the open
/// step of a lesson names one of its figures.
#[component]
pub(super) fn FigureFold(
    group: FigureGroup,
    /// Text of its summary line.
    summary: &'static str,
    /// The figures.
    children: ChildrenFn,
) -> impl IntoView {
    let url = UrlState::from_context();
    let registry = FigureRegistry::from_context();
    let unfolded = Memo::new(move |_| {
        let is_used = |figure: &FigureId| registry.is_used(*figure);
        url.link.with(|link| link.unfolds(group)) || group.figures().iter().any(is_used)
    });
    let set = move |is_unfolded| {
        url.link
            .update(|link| link.unfold_group(group, is_unfolded));
    };
    view! {
        <CollapsibleSection class="more" id=group.id() summary unfolded set>
            <Show when=move || unfolded.get()>
                <div class="folded">{children()}</div>
            </Show>
        </CollapsibleSection>
    }
}
