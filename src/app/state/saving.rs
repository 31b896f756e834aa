//! Options and progress of exports.

use crate::{
    analysis::WholeMatrix,
    export::{Background, Heading, SheetWidth},
};
use leptos::prelude::*;

/// Options of exported pictures. They apply to every figure until the page is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::app) struct PictureFormat {
    /// Width of the layout.
    pub(in crate::app) width: SheetWidth,
    /// Background.
    pub(in crate::app) background: Background,
    /// Content above the figure.
    pub(in crate::app) heading: Heading,
}

/// Number of files of a figure that are being created, for the status on its toolbar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::app) struct Saves(RwSignal<usize>);

impl Saves {
    /// A count of no files.
    pub(in crate::app) fn new() -> Self {
        Self(RwSignal::new(0))
    }

    /// Whether a file is being created.
    pub(in crate::app) fn is_under_way(self) -> bool {
        self.0.try_get().is_some_and(|count| count > 0)
    }

    /// Counts a file until the returned guard is dropped. The figure may be unmounted by then.
    pub(in crate::app) fn begin(self) -> SaveUnderWay {
        let _ = self.0.try_update(|count| *count += 1);
        SaveUnderWay(self)
    }
}

/// Guard for a file that is being created.
#[derive(Debug)]
pub(in crate::app) struct SaveUnderWay(Saves);

impl Drop for SaveUnderWay {
    fn drop(&mut self) {
        let Saves(count) = self.0;
        let _ = count.try_update(|count| *count = count.saturating_sub(1));
    }
}

/// A whole matrix to be saved, whatever its size.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct LargeSave {
    /// The question for its cells.
    pub(in crate::app) question: WholeMatrix,
    /// Name of the file.
    pub(in crate::app) name: String,
    /// MIME type.
    pub(in crate::app) kind: &'static str,
    /// Estimated size of the file in bytes.
    pub(in crate::app) bytes: u64,
    /// Status on the toolbar of its figure.
    pub(in crate::app) saves: Saves,
}
