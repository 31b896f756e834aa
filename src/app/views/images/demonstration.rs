//! State of the image demonstration: heads, kernel and image, shared by its figures.

use super::own_image::OwnImages;
use crate::{
    analysis::{
        FilterSetting, ImageSource, MOST_HEADS, Pixels, Sample, in_their_places, kernel_of,
    },
    app::{
        figure::program_constants::ProgramConstants,
        state::{PageState, UrlState},
    },
    math::{ConvolutionKernel, Grid, HeadShape, PixelHead},
    numpy_program::own_image_constant,
    url_state::ImagesSection,
};
use leptos::prelude::*;
use std::sync::Arc;

/// The demonstration's signals. Provided as context.
#[derive(Clone, Copy)]
pub(super) struct ImageDemonstration {
    url: UrlState,
    /// The images section of the link.
    section: Memo<ImagesSection>,
    /// The kernel with the chosen spacing of its taps. If its text cannot be parsed, the identity kernel and the
    /// reason.
    kernel: Memo<(Arc<ConvolutionKernel>, Option<String>)>,
    /// The heads: at the positions of Lemma 1, or as edited.
    pub(super) heads: Memo<Vec<PixelHead>>,
    /// The user's own image, if any.
    pub(super) own: OwnImages,
    /// Source of the image.
    source: Memo<ImageSource>,
    /// The pixels of the image.
    pub(super) image: Memo<Arc<Pixels>>,
}

impl ImageDemonstration {
    /// Creates the demonstration and provides it as context.
    pub(super) fn provide(state: PageState) -> Self {
        let chosen = Memo::new(move |_| state.url.link.with(|link| link.images.clone()));
        let text =
            Memo::new(move |_| chosen.with(|chosen| (chosen.kernel.clone(), chosen.spacing)));
        let kernel = Memo::new(move |_| {
            let (text, spacing) = text.get();
            let (kernel, why) = match kernel_of(&text) {
                Ok(kernel) => (kernel, None),
                Err(why) => {
                    let identity = ConvolutionKernel::plain((1, 1), vec![1.0]);
                    (identity, Some(why))
                }
            };
            (Arc::new(ConvolutionKernel { spacing, ..kernel }), why)
        });
        let heads = Memo::new(move |_| {
            chosen.with(|chosen| match &chosen.heads {
                Some(heads) => heads.clone(),
                None => {
                    kernel.with(|(kernel, _)| in_their_places(kernel, chosen.taps, chosen.alpha))
                }
            })
        });
        let side = Memo::new(move |_| chosen.with(|chosen| chosen.side));
        let own = OwnImages::new(state, side);
        let sample = Memo::new(move |_| chosen.with(|chosen| chosen.sample));
        let source = Memo::new(move |_| match (sample.get(), own.image.get()) {
            (None, Some(own)) => ImageSource::Own(own),
            (sample, _) => ImageSource::Sample(sample.unwrap_or(Sample::Shapes), side.get()),
        });
        let image = Memo::new(move |_| source.with(ImageSource::pixels));
        let demonstration = Self {
            url: state.url,
            section: chosen,
            kernel,
            heads,
            own,
            source,
            image,
        };
        provide_context(demonstration);
        ProgramConstants::provide(move |name| {
            demonstration.source.with(|source| match source {
                ImageSource::Own(own) => own_image_constant(own, demonstration.query(), name),
                ImageSource::Sample(..) => None,
            })
        });
        demonstration
    }

    pub(super) fn from_context() -> Self {
        expect_context()
    }

    /// Returns a memo of a part of the section.
    pub(super) fn select<T: PartialEq + Send + Sync + 'static>(
        self,
        get: fn(&ImagesSection) -> T,
    ) -> Memo<T> {
        Memo::new(move |_| self.section.with(get))
    }

    /// Changes the section.
    pub(super) fn choose(self, change: impl FnOnce(&mut ImagesSection)) {
        self.url.link.update(|link| change(&mut link.images));
    }

    pub(super) fn kernel(self) -> Arc<ConvolutionKernel> {
        self.kernel.with(|(kernel, _)| Arc::clone(kernel))
    }

    /// Returns why the kernel's text cannot be parsed, if it cannot.
    pub(super) fn kernel_fault(self) -> Option<String> {
        self.kernel.with(|(_, why)| why.clone())
    }

    /// Returns the image's rows and columns.
    pub(super) fn grid(self) -> Grid {
        self.image.with(|image| image.grid)
    }

    /// Whether the image has a single row.
    pub(super) fn is_line(self) -> bool {
        self.grid().height == 1
    }

    /// Returns the settings of the worker's questions.
    pub(super) fn filter_setting(self) -> FilterSetting {
        self.section.with(|chosen| FilterSetting {
            image: self.source.get(),
            kernel: self.kernel().as_ref().clone(),
            heads: self.heads.get(),
            head_channels: chosen.head_channels,
            side: chosen.taps,
            padding: chosen.padding,
            stride: chosen.stride,
        })
    }

    /// Returns the query pixel (row, column): the chosen one clamped to the image, or the middle one.
    pub(super) fn query(self) -> (usize, usize) {
        let grid = self.grid();
        let middle = (grid.height / 2, grid.width / 2);
        let (y, x) = self.section.with(|chosen| chosen.query).unwrap_or(middle);
        (y.min(grid.height - 1), x.min(grid.width - 1))
    }

    /// Returns the index of the open head.
    pub(super) fn open(self) -> usize {
        let last = self.heads.with(Vec::len).saturating_sub(1);
        self.section.with(|chosen| chosen.head).min(last)
    }

    /// Edits the heads and stores them in the link. Keeps at most [`MOST_HEADS`].
    pub(super) fn edit(self, change: impl FnOnce(&mut Vec<PixelHead>)) {
        let mut heads = self.heads.get_untracked();
        change(&mut heads);
        heads.truncate(MOST_HEADS);
        self.choose(|chosen| chosen.heads = Some(heads));
    }

    /// Edits one head. Ignores an index out of range.
    pub(super) fn edit_head(self, at: usize, change: impl FnOnce(&mut PixelHead)) {
        self.edit(|heads| {
            if let Some(head) = heads.get_mut(at) {
                change(head);
            }
        });
    }

    /// Makes every head an isotropic Gaussian with sharpness `alpha`.
    pub(super) fn sharpen(self, alpha: f64) {
        self.choose(|chosen| {
            chosen.alpha = alpha;
            for head in chosen.heads.iter_mut().flatten() {
                head.shape = HeadShape::Round(alpha);
            }
        });
    }
}
