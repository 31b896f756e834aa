//! Sections of a link: the state of one view, or state that several views share. A section declares its fields once,
//! and is parsed and written by that declaration.

use super::View;

/// A field of a section: its key in the link, and how it is parsed and written.
#[derive(Debug)]
pub struct LinkField<S: 'static> {
    /// The key in the link.
    pub key: &'static str,
    /// The view whose links name the field even if it has its default.
    pub(super) named_in: Option<View>,
    /// Parses a text into the field. The error is the part that was not understood.
    pub(super) parse: fn(&mut S, &str) -> Result<(), String>,
    pub(super) write: fn(&S) -> Option<String>,
}

/// A section of a link.
pub trait LinkSection: Default + 'static {
    /// Its fields in the order in which they are written.
    const FIELDS: &'static [LinkField<Self>];
}

/// Declares the fields of a section: `"key" => place: codec;`. A field that the links of a view always name is declared
/// as `"key" in View::Heads => place: codec;`.
macro_rules! fields {
    ($section:ty { $($key:literal $(in $view:path)? => $($place:ident).+ : $codec:expr;)* }) => {
        impl $crate::url_state::section::LinkSection for $section {
            const FIELDS: &'static [$crate::url_state::section::LinkField<Self>] = &[$(
                $crate::url_state::section::LinkField {
                    key: $key,
                    named_in: fields!(@view $($view)?),
                    parse: |section, text| {
                        $crate::url_state::codec::Codec::read(&$codec, text, &mut section.$($place).+)
                    },
                    write: |section| {
                        $crate::url_state::codec::Codec::write(&$codec, &section.$($place).+)
                    },
                },
            )*];
        }
    };
    (@view) => { None };
    (@view $view:path) => { Some($view) };
}
pub(super) use fields;

/// A field as it is written in a link.
pub(super) struct WrittenField {
    key: &'static str,
    named_in: Option<View>,
    text: Option<String>,
    /// The text of the default.
    default: Option<String>,
}

/// Adds the keys and texts of the fields that differ from the default or are always named in links of `view`.
pub(super) fn add_pairs<S: LinkSection>(
    pairs: &mut Vec<(&'static str, String)>,
    section: &S,
    view: Option<View>,
) {
    let default = S::default();
    add_written_fields(pairs, view, &|at| {
        let field = S::FIELDS.get(at)?;
        Some(WrittenField {
            key: field.key,
            named_in: field.named_in,
            text: (field.write)(section),
            default: (field.write)(&default),
        })
    });
}

/// The part of [`add_pairs`] that does not depend on the section. Compiled once for all sections, it saves the first
/// download 2 KB.
fn add_written_fields(
    pairs: &mut Vec<(&'static str, String)>,
    view: Option<View>,
    write: &dyn Fn(usize) -> Option<WrittenField>,
) {
    for field in (0..).map_while(write) {
        let is_always_named = field.named_in.is_some() && field.named_in == view;
        if let Some(text) = field.text
            && (is_always_named || Some(&text) != field.default.as_ref())
        {
            pairs.push((field.key, text));
        }
    }
}

/// Returns the keys and texts of the fields that differ from the default or are always named in links of `view`.
pub(super) fn pairs_of<S: LinkSection>(
    section: &S,
    view: Option<View>,
) -> Vec<(&'static str, String)> {
    let mut pairs = Vec::new();
    add_pairs(&mut pairs, section, view);
    pairs
}
