//! What is said to the person, and what a message offers to do.

use crate::{analysis::ModelId, short_text::short_message, url_state::ModelRef};

/// What a message offers to do.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) enum Action {
    /// Fetch these models; `whole` where a server sends no parts of files.
    Fetch {
        /// The models.
        models: Vec<ModelRef>,
        /// Whether files may be read whole.
        whole: bool,
        /// Whether the first of them is then shown.
        show: bool,
    },
    /// Ask again what could not be answered.
    AskAgain,
    /// Open again the files whose opening the network has kept from succeeding.
    OpenAgain,
    /// Fetch a preset, by its identifier.
    FetchPreset(ModelRef, &'static str),
    /// Fetch the rest of a preset of which a part is open.
    FetchRest(ModelId),
    /// Give a shard to one of the models that lack it.
    GiveShard {
        /// The shard, by the number under which the opener keeps it.
        shard: u32,
        /// The model.
        to: ModelId,
        /// What the shelf calls it.
        title: String,
    },
    /// Save a file that is large, now that its size is known.
    Save(crate::app::figure::saving::large_save::LargeSave),
    /// Open an address of this page in a tab of its own.
    OpenAlone(String),
    /// Load the page again with the same link.
    Reload,
    /// The same, in the newer version that has been fetched.
    LoadNewer,
}

/// What a button says that fetches several models.
pub(in crate::app) const FETCH_ALL: &str = "Fetch all";

/// Something said to the person.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct Message {
    /// What went wrong, as against what is worth knowing.
    pub(in crate::app) alarming: bool,
    /// The sentence.
    pub(in crate::app) text: String,
    /// What can be done about it: what each button says, and what it does.
    pub(in crate::app) actions: Vec<(String, Action)>,
    /// Whether it is said of the link that the page was opened with. All that is said of a link is one message.
    pub(in crate::app) of_link: bool,
}

impl Message {
    /// Something worth knowing. Names in it are cut to a length that can be read.
    pub(in crate::app) fn new(text: impl Into<String>) -> Self {
        Self::verbatim(short_message(&text.into()))
    }

    /// Something to be copied, of which nothing is cut.
    pub(in crate::app) fn verbatim(text: impl Into<String>) -> Self {
        Self {
            alarming: false,
            text: text.into(),
            actions: Vec::new(),
            of_link: false,
        }
    }

    /// Something worth knowing of the link.
    pub(in crate::app) fn of_link(text: impl Into<String>) -> Self {
        Self {
            of_link: true,
            ..Self::new(text)
        }
    }

    /// Something that went wrong.
    pub(in crate::app) fn alarming(self) -> Self {
        Self {
            alarming: true,
            ..self
        }
    }

    /// With a button.
    pub(in crate::app) fn with(mut self, button: impl Into<String>, action: Action) -> Self {
        self.actions.push((button.into(), action));
        self
    }

    /// Says something more. What both ask to fetch is fetched by one button.
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
