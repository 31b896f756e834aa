//! Messages to the user, and the actions they offer.

use crate::{analysis::ModelId, short_text::short_message, url_state::ModelRef};

/// An action that a message offers.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) enum Action {
    /// Fetch models.
    Fetch {
        models: Vec<ModelRef>,
        /// Whether to read whole files, if a server does not support range requests.
        whole: bool,
        /// Whether to show the first of the models.
        show: bool,
    },
    /// Retry failed questions.
    AskAgain,
    /// Retry the openings that failed on the network.
    OpenAgain,
    /// Fetch a preset, by its identifier.
    FetchPreset(ModelRef, &'static str),
    /// Fetch the rest of a preset of which only the position table is open.
    FetchRest(ModelId),
    /// Give a shard to one of the models that lack it.
    GiveShard {
        /// Number of the shard in the opener.
        shard: u32,
        to: ModelId,
        /// Title of the model.
        title: String,
    },
    /// Save a large file, after its size was confirmed.
    Save(crate::app::state::saving::LargeSave),
    /// Open an address of this page in a new tab.
    OpenAlone(String),
    /// Reload the page with the same link.
    Reload,
    /// Reload the page in the newer version that was fetched.
    LoadNewer,
}

/// Label of a button that fetches several models.
pub(in crate::app) const FETCH_ALL: &str = "Fetch all";

/// A message to the user.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct Message {
    /// Whether it reports an error.
    pub(in crate::app) is_error: bool,
    pub(in crate::app) text: String,
    /// Buttons: label and action.
    pub(in crate::app) actions: Vec<(String, Action)>,
    /// Whether it is about the link of the page. All messages about a link are joined into one.
    pub(in crate::app) of_link: bool,
}

impl Message {
    /// A notice. Long names in it are shortened.
    pub(in crate::app) fn new(text: impl Into<String>) -> Self {
        Self::verbatim(short_message(&text.into()))
    }

    /// A notice that must not be shortened, such as text to copy.
    pub(in crate::app) fn verbatim(text: impl Into<String>) -> Self {
        Self {
            is_error: false,
            text: text.into(),
            actions: Vec::new(),
            of_link: false,
        }
    }

    /// A notice about the link.
    pub(in crate::app) fn about_link(text: impl Into<String>) -> Self {
        Self {
            of_link: true,
            ..Self::new(text)
        }
    }

    /// Marks the message as an error.
    pub(in crate::app) fn into_error(self) -> Self {
        Self {
            is_error: true,
            ..self
        }
    }

    /// Adds a button.
    pub(in crate::app) fn with(mut self, button: impl Into<String>, action: Action) -> Self {
        self.actions.push((button.into(), action));
        self
    }

    /// Appends another message. Buttons that fetch are combined into one.
    pub(in crate::app) fn join(&mut self, more: Self) {
        if self.text.contains(&more.text) {
            return;
        }
        self.text = format!("{} {}", self.text, more.text);
        for (button, action) in more.actions {
            let joined = match (self.actions.last_mut(), &action) {
                (
                    Some((
                        first,
                        Action::Fetch {
                            models,
                            whole: false,
                            ..
                        },
                    )),
                    Action::Fetch {
                        models: others,
                        whole: false,
                        ..
                    },
                ) => {
                    models.extend(others.iter().cloned());
                    FETCH_ALL.clone_into(first);
                    true
                }
                _ => false,
            };
            if !joined && !self.actions.contains(&(button.clone(), action.clone())) {
                self.actions.push((button, action));
            }
        }
    }
}
