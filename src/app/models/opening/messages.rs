//! Messages to the user, and the actions they offer.

use super::{Opener, files::UserFiles};
use crate::app::{
    controls::offline,
    figure::saving::{self, request::SaveRequest},
    state::{
        Messages,
        framing::open_alone,
        message::{Action, Message},
    },
};
use leptos::{either::Either, prelude::*};

/// The messages, oldest first.
#[component]
pub(in crate::app) fn MessageList() -> impl IntoView {
    let messages = Messages::from_context();
    view! {
        <div id="message">
            <For each=move || messages.list.get() key=|message| message.text.clone() let:message>
                <OneMessage message/>
            </For>
        </div>
    }
}

/// A message with its action buttons.
#[component]
fn OneMessage(message: Message) -> impl IntoView {
    let messages = Messages::from_context();
    let opener = Opener::from_context();
    let (role, class) = if message.is_error {
        ("alert", "message alarming")
    } else {
        ("status", "message")
    };
    let text = StoredValue::new(message.text.clone());
    let dismiss = move || {
        messages
            .list
            .update(|list| text.with_value(|text| list.retain(|m| m.text != *text)));
    };
    let offers = message.actions.into_iter().map(|(name, action)| {
        let takes = match &action {
            Action::GiveShard { title, .. } => Some(title.clone()),
            _ => None,
        };
        let act = move |_| {
            dismiss();
            opener.perform(action.clone());
        };
        view! { <button type="button" class="primary" data-takes=takes on:click=act>{name}</button> }
    });
    let offers = offers.collect_view();
    let buttons = if offers.is_empty() {
        Either::Left(view! {
            <button type="button" class="dismiss" aria-label="Dismiss" on:click=move |_| dismiss()>"×"</button>
        })
    } else {
        Either::Right(view! {
            <div class="actions">
                {offers}
                <button type="button" on:click=move |_| dismiss()>"Not now"</button>
            </div>
        })
    };
    view! { <div class=class role=role><p>{message.text}</p>{buttons}</div> }
}

impl Opener {
    /// Performs the action of a message.
    fn perform(self, action: Action) {
        match action {
            Action::Fetch {
                models,
                whole,
                show,
            } => self.fetch(models, whole, show),
            Action::AskAgain => self.client.retry(),
            Action::FetchPreset(reference, id) => self.fetch_preset(reference, id),
            Action::FetchRest(id) => self.fetch_rest(id),
            Action::OpenAgain => self.retry_all(),
            Action::GiveShard { shard, to, .. } => {
                let file = self
                    .memory
                    .try_update_value(|memory| memory.shards.remove(&shard));
                if let Some(file) = file.flatten() {
                    self.open_user_files(UserFiles::Shard(file, to));
                }
            }
            Action::Save(matrix) => {
                saving::save(self.state, self.client, SaveRequest::InMemory(matrix));
            }
            Action::OpenAlone(address) => open_alone(&address),
            // Ignored: there is no fallback if this fails.
            Action::Reload => drop(window().location().reload()),
            Action::LoadNewer => offline::load_newer(),
        }
    }
}
