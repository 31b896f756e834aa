//! Keyboard shortcuts of the page, by the place where they work. A test compares them with the keys that `src/app`
//! handles.

/// An action and its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortcut {
    /// Alternative keys, by the names that browsers give them. A modifier precedes a key: `Shift+ArrowLeft`.
    pub keys: &'static [&'static str],
    /// The action.
    pub action: &'static str,
}

/// Shortcuts that work in the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortcutGroup {
    /// Where they work.
    pub place: &'static str,
    /// The shortcuts.
    pub shortcuts: &'static [Shortcut],
}

/// An action of the pointer in a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gesture {
    /// Movement of the pointer or the wheel.
    pub gesture: &'static str,
    /// The action.
    pub action: &'static str,
}

/// Gestures in a matrix that can be zoomed.
pub const GESTURES: &[Gesture] = &[
    Gesture {
        gesture: "Click",
        action: "Pin the cursor, or release it; then the wheel zooms until the pointer leaves",
    },
    Gesture {
        gesture: "Wheel, after a click",
        action: "Zoom about the pointer",
    },
    Gesture {
        gesture: "Ctrl and wheel",
        action: "Zoom without a click",
    },
    Gesture {
        gesture: "Drag",
        action: "Move the part that is shown",
    },
    Gesture {
        gesture: "Double click",
        action: "Show all of the matrix",
    },
];

const fn shortcut(keys: &'static [&'static str], action: &'static str) -> Shortcut {
    Shortcut { keys, action }
}

const NEXT_STEP: Shortcut = shortcut(
    &["ArrowRight", "ArrowDown", "PageDown", " ", "Enter"],
    "Show the answer, then the next step",
);
const PREVIOUS_STEP: Shortcut = shortcut(&["ArrowLeft", "ArrowUp", "PageUp", "Shift+ "], "Go back");

/// Every shortcut of the page.
pub const SHORTCUTS: &[ShortcutGroup] = &[
    ShortcutGroup {
        place: "Everywhere",
        shortcuts: &[
            shortcut(&["n"], "Show the notation"),
            shortcut(&["?"], "Show this list"),
            shortcut(&["Escape"], "Close what is open"),
        ],
    },
    ShortcutGroup {
        place: "In a figure",
        shortcuts: &[
            shortcut(
                &["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
                "Move the cursor by one cell",
            ),
            shortcut(
                &[
                    "Shift+ArrowLeft",
                    "Shift+ArrowRight",
                    "Shift+ArrowUp",
                    "Shift+ArrowDown",
                ],
                "Move it by eight cells",
            ),
            shortcut(&["Enter", " "], "Pin the cursor"),
            shortcut(
                &["Escape"],
                "Release it, and remove the highlight of a term",
            ),
            shortcut(&["+", "="], "Zoom in"),
            shortcut(&["-"], "Zoom out"),
            shortcut(&["0"], "Show all of the matrix"),
            shortcut(
                &["t"],
                "Highlight the next map and its term in the formulas",
            ),
            shortcut(&["Shift+T"], "Highlight the map before"),
            shortcut(
                &["f"],
                "Show the figure large, or return to the page; also with the pointer over it",
            ),
        ],
    },
    ShortcutGroup {
        place: "In the terms of a formula",
        shortcuts: &[
            shortcut(
                &["ArrowLeft", "ArrowRight"],
                "Move to the term before or after, and highlight its map",
            ),
            shortcut(&["Enter", " "], "Go to the map of the term"),
            shortcut(&["Escape"], "Remove the highlight"),
        ],
    },
    ShortcutGroup {
        place: "In a grid of heads",
        shortcuts: &[
            shortcut(
                &["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
                "Open the next head",
            ),
            shortcut(
                &["Shift+Enter"],
                "Keep this head as the second one, beside the next that is opened",
            ),
        ],
    },
    ShortcutGroup {
        place: "In the tokens of a text",
        shortcuts: &[
            shortcut(
                &["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
                "Move to the next token",
            ),
            shortcut(&["Home", "End"], "Move to the first or the last token"),
            shortcut(
                &["Enter", " "],
                "Tint the others by the attention from the token, or remove the tint",
            ),
        ],
    },
    ShortcutGroup {
        place: "In a number field",
        shortcuts: &[
            shortcut(&["ArrowUp", "ArrowDown"], "Change the number by a step"),
            shortcut(
                &["PageUp", "PageDown", "Shift+ArrowUp", "Shift+ArrowDown"],
                "Change it by ten steps",
            ),
            shortcut(&["Escape"], "Undo typing"),
        ],
    },
    ShortcutGroup {
        place: "On a slider",
        shortcuts: &[
            shortcut(
                &["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
                "Move by a step",
            ),
            shortcut(&["PageUp", "PageDown"], "Move by several steps"),
            shortcut(&["Home", "End"], "Move to an end"),
        ],
    },
    ShortcutGroup {
        place: "In Kernels",
        shortcuts: &[
            shortcut(&["Control+z"], "Undo"),
            shortcut(&["Control+Shift+z", "Control+y"], "Redo"),
        ],
    },
    ShortcutGroup {
        place: "In a lesson",
        shortcuts: &[shortcut(&["p"], "Begin or end the presentation")],
    },
    ShortcutGroup {
        place: "While presenting",
        shortcuts: &[
            NEXT_STEP,
            PREVIOUS_STEP,
            shortcut(&["b"], "Blank the screen"),
            shortcut(&["."], "Light the offset of the step"),
            shortcut(&["Escape"], "End the presentation"),
        ],
    },
    ShortcutGroup {
        place: "In the window of notes",
        shortcuts: &[NEXT_STEP, PREVIOUS_STEP],
    },
];

/// Returns the label of a key on a keyboard.
#[must_use]
pub fn key_label(key: &str) -> &str {
    match key {
        "ArrowLeft" => "←",
        "ArrowRight" => "→",
        "ArrowUp" => "↑",
        "ArrowDown" => "↓",
        "PageUp" => "Page Up",
        "PageDown" => "Page Down",
        "Control" => "Ctrl",
        "Escape" => "Esc",
        " " => "Space",
        "-" => "−",
        key => key,
    }
}
