//! Constants of the kernels view.

use super::{Choices, Literal};
use crate::{
    analysis::{FIRST_LAYER_POSITIONS, parameter_count::CountedModel, word_rows},
    encoding::Kernel,
    figure::{needs_all_offsets, offsets_around, shown_offsets},
    url_state::{FigureId, View},
};

pub(super) const CONSTANTS: &[(&str, &str)] = &[
    ("KERNELS", "kernels (a, b, c) that are not muted"),
    ("SLIDERS", "kernels (a, b, c), and whether they are muted"),
    ("N", "number of positions"),
    ("WINDOW", "rows and columns that are shown"),
    ("REACH", "farthest offset that is shown"),
    ("WITHIN", "farthest offset with full weight"),
    ("FIT", "kernels (a, b, c) that were fitted"),
    ("INTERCEPT", "constant of the fit"),
    (
        "FITS_BY_COUNT",
        "intercept and kernels of the fits with 1, 2, … kernels",
    ),
    ("WORD_IDS", "token ids; none for the mean word"),
    ("MODEL", "name of the size"),
    ("SIZE", "kernels S, positions n, width d, layers L, heads H"),
];

impl Choices {
    pub(super) fn kernels_constant(&self, name: &str) -> Option<String> {
        let numbers = |kernel: &Kernel| (kernel.a, kernel.b, kernel.c);
        let kernels = &self.link.kernels.kernels.0;
        Some(match name {
            "KERNELS" => {
                let sounding = kernels.iter().filter(|kernel| !kernel.is_muted);
                sounding.map(numbers).collect::<Vec<_>>().literal()
            }
            "SLIDERS" => {
                let sliders = kernels.iter().map(|kernel| {
                    let (a, b, c) = numbers(kernel);
                    (a, b, c, kernel.is_muted)
                });
                sliders.collect::<Vec<_>>().literal()
            }
            "N" if self.is_of_kernels() => self.kernel_positions().literal(),
            "WINDOW" if self.is_of_kernels() => {
                let window = self.link.kernels.window_of(self.kernel_positions());
                let side = |range: &std::ops::Range<usize>| (range.start, range.end);
                (side(&window.rows), side(&window.cols)).literal()
            }
            "SEAM" if self.is_of_kernels() => self.seam(self.kernel_positions()).literal(),
            "REACH" => self.kernel_reach().literal(),
            "MODEL" => self.counted_model().name.literal(),
            "SIZE" => {
                let [kernels, positions, width, layers, heads] = self.counted_model().size.parts();
                (kernels, positions, width, layers, heads).literal()
            }
            "WITHIN" => self.link.kernel_options.fit.within.literal(),
            "WORD_IDS" => {
                let mut ids = self.word_ids();
                ids.truncate(self.kernel_positions());
                ids.literal()
            }
            _ => return None,
        })
    }

    /// Whether the figure is one of kernels of the sliders or of fits.
    fn is_of_kernels(&self) -> bool {
        self.figure.views().first() == Some(&View::Kernels)
    }

    /// Number of positions of the figure's matrices.
    fn kernel_positions(&self) -> usize {
        let (positions, length) = self.lengths;
        match self.figure {
            FigureId::FitAttention | FigureId::FitHeadAttention => length,
            FigureId::FirstLayerEmbeddings
            | FigureId::FirstLayerAdded
            | FigureId::FirstLayerInstead
            | FigureId::FirstLayerNone => {
                let words = self.word_ids().len();
                let chosen = if words == 0 { length } else { words };
                chosen.min(self.rows()).min(FIRST_LAYER_POSITIONS)
            }
            _ => positions,
        }
    }

    /// The farthest offset at which the kernel function is shown.
    fn kernel_reach(&self) -> i64 {
        let n = self.kernel_positions();
        let kernels = &self.link.kernels.kernels;
        let (_, last) = match self.link.kernel_options.all_offsets {
            Some(all) => shown_offsets(n, all),
            None if needs_all_offsets(kernels.scores(n).profile()) => shown_offsets(n, true),
            None => offsets_around(kernels.0.iter().map(|kernel| kernel.c), n),
        };
        last as i64
    }

    fn counted_model(&self) -> CountedModel {
        CountedModel::new(&self.link.kernel_options.count, self.summary.as_deref())
    }

    /// Rows of the word embeddings that the visitor typed.
    pub(super) fn word_ids(&self) -> Vec<u32> {
        word_rows(&self.link.kernel_options.words).unwrap_or_default()
    }
}
