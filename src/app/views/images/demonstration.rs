//! What heads, kernel and image are chosen, for every figure of the demonstration.

use super::own_image::OwnImages;
use crate::{
    analysis::{
        FilterSetting, ImageSource, MOST_HEADS, Pixels, Sample, in_their_places, kernel_of,
    },
    app::state::page::PageState,
    math::{ConvolutionKernel, Grid, QuadraticHead, Width},
    url_state::ImagesSection,
};
use leptos::prelude::*;
use std::sync::Arc;

/// Signals that the figures share.
#[derive(Clone, Copy)]
pub(super) struct ImageDemonstration {
    state: PageState,
    /// What the link says.
    chosen: Memo<ImagesSection>,
    /// The kernel, with taps as far apart as chosen; the one that stands for what cannot be read, and why it cannot.
    kernel: Memo<(Arc<ConvolutionKernel>, Option<String>)>,
    /// The heads, in their places or where somebody moved them.
    pub(super) heads: Memo<Vec<QuadraticHead>>,
    /// Somebody's own image, as far as there is one.
    pub(super) own: OwnImages,
    /// Where the image comes from.
    source: Memo<ImageSource>,
    /// The image.
    pub(super) image: Memo<Arc<Pixels>>,
}

impl ImageDemonstration {
    /// The view's, for all of its parts.
    pub(super) fn provide(state: PageState) -> Self {
        let chosen = Memo::new(move |_| state.link.with(|link| link.images.get().clone()));
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
            state,
            chosen,
            kernel,
            heads,
            own,
            source,
            image,
        };
        provide_context(demonstration);
        demonstration
    }

    /// The view's.
    pub(super) fn from_context() -> Self {
        expect_context()
    }

    /// A part of what is chosen.
    pub(super) fn part<T: PartialEq + Send + Sync + 'static>(
        self,
        get: fn(&ImagesSection) -> T,
    ) -> Memo<T> {
        Memo::new(move |_| self.chosen.with(get))
    }

    /// Chooses something else.
    pub(super) fn choose(self, change: impl FnOnce(&mut ImagesSection)) {
        self.state.link.update(|link| link.images.change(change));
    }

    /// The kernel.
    pub(super) fn kernel(self) -> Arc<ConvolutionKernel> {
        self.kernel.with(|(kernel, _)| Arc::clone(kernel))
    }

    /// Why the kernel cannot be read, if it cannot.
    pub(super) fn kernel_fault(self) -> Option<String> {
        self.kernel.with(|(_, why)| why.clone())
    }

    /// Rows and columns of the image.
    pub(super) fn grid(self) -> Grid {
        self.image.with(|image| image.grid)
    }

    /// Whether the image is one row.
    pub(super) fn is_line(self) -> bool {
        self.grid().height == 1
    }

    /// Everything that the worker is asked about.
    pub(super) fn setting(self) -> FilterSetting {
        self.chosen.with(|chosen| FilterSetting {
            image: self.source.get(),
            kernel: self.kernel().as_ref().clone(),
            heads: self.heads.get(),
            side: chosen.taps,
            padding: chosen.padding,
            stride: chosen.stride,
        })
    }

    /// The pixel that asks: the chosen one as far as the image has it, else the middle one.
    pub(super) fn query(self) -> (usize, usize) {
        let grid = self.grid();
        let middle = (grid.height / 2, grid.width / 2);
        let (y, x) = self.chosen.with(|chosen| chosen.query).unwrap_or(middle);
        (y.min(grid.height - 1), x.min(grid.width - 1))
    }

    /// The head that is open.
    pub(super) fn open(self) -> usize {
        let last = self.heads.with(Vec::len).saturating_sub(1);
        self.chosen.with(|chosen| chosen.head).min(last)
    }

    /// Changes the heads, which are then somebody's own.
    pub(super) fn edit(self, change: impl FnOnce(&mut Vec<QuadraticHead>)) {
        let mut heads = self.heads.get_untracked();
        change(&mut heads);
        heads.truncate(MOST_HEADS);
        self.choose(|chosen| chosen.heads = Some(heads));
    }

    /// Changes one head.
    pub(super) fn edit_head(self, at: usize, change: impl FnOnce(&mut QuadraticHead)) {
        self.edit(|heads| {
            if let Some(head) = heads.get_mut(at) {
                change(head);
            }
        });
    }

    /// Makes every head round and as sharp as that.
    pub(super) fn sharpen(self, alpha: f64) {
        self.choose(|chosen| {
            chosen.alpha = alpha;
            for head in chosen.heads.iter_mut().flatten() {
                head.width = Width::Round(alpha);
            }
        });
    }
}
