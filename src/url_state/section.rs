//! Sections of a link: what one view, or several together, keep in it. A section declares its fields once,
//! and is read and written by that declaration.

use super::{View, parse_warnings::ParseWarnings};

/// A part of a section: the key it stands behind, and how it is read and written.
#[derive(Debug)]
pub struct LinkField<S: 'static> {
    pub(super) key: &'static str,
    /// The view whose links name it also where it is the default.
    pub(super) named_in: Option<View>,
    /// Takes a text; what of it was not understood comes back.
    pub(super) read: fn(&mut S, &str) -> Result<(), String>,
    pub(super) write: fn(&S) -> Option<String>,
}

/// A section of a link.
pub trait LinkSection: Default + 'static {
    /// The keys of its fields. They stand apart from the fields, so that a section can be carried without the
    /// code that reads it.
    const KEYS: &'static [&'static str];
    /// Its fields in the order in which they are written.
    const FIELDS: &'static [LinkField<Self>];
}

/// Declares the fields of a section: `"key" => place: codec;`. A field that a view's links always name says
/// `"key" in View::Heads => place: codec;`.
macro_rules! fields {
    ($section:ty { $($key:literal $(in $view:path)? => $($place:ident).+ : $codec:expr;)* }) => {
        impl $crate::url_state::section::LinkSection for $section {
            const KEYS: &'static [&'static str] = &[$($key),*];
            const FIELDS: &'static [$crate::url_state::section::LinkField<Self>] = &[$(
                $crate::url_state::section::LinkField {
                    key: $key,
                    named_in: fields!(@view $($view)?),
                    read: |section, text| {
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

/// Reads a section: `text` gives the text behind a key, and `misread` is called with what was not understood.
pub(super) fn read_section<S: LinkSection, T: AsRef<str>>(
    mut text: impl FnMut(&str) -> Option<T>,
    misread: &mut ParseWarnings,
) -> S {
    let mut section = S::default();
    for field in S::FIELDS {
        if let Some(text) = text(field.key)
            && let Err(rest) = (field.read)(&mut section, text.as_ref())
        {
            misread.note(field.key, &rest);
        }
    }
    section
}

/// The keys and texts of a section: what differs from the default, and what links of the view always name.
pub(super) fn pairs_of<S: LinkSection>(
    section: &S,
    view: Option<View>,
) -> Vec<(&'static str, String)> {
    let default = S::default();
    let mut pairs = Vec::new();
    for field in S::FIELDS {
        let text = (field.write)(section);
        let named = field.named_in.is_some() && field.named_in == view;
        if let Some(text) = text.clone()
            && (named || Some(text.as_str()) != (field.write)(&default).as_deref())
        {
            pairs.push((field.key, text));
        }
    }
    pairs
}
