//! The address bar is the state: everything that decides what is on the page, as a readable query.
//!
//! `?view=heads&model=minilm-l6&layer=3&head=7`. Whoever opens the link sees the same figure. A link is
//! untrusted: what it says wrongly falls back to the default, and one sentence says so.
//!
//! A link is made of sections. Each declares its fields once, key and codec, and is read and written by that
//! declaration ([`LinkSection`]). Sections of views that are not part of the first paint are carried unread
//! ([`LazySection`]).

mod address_history;
mod backend;
mod codec;
mod comparison;
pub mod encodings;
mod figures;
mod fit_order;
mod head_order;
mod image_models;
mod images;
mod kernel_options;
mod kernel_sliders;
mod lazy_section;
mod lesson;
mod model_name;
mod model_ref;
mod models;
mod number_range;
mod page_title;
mod parse_warnings;
mod query;
mod section;
mod sections;
mod slider_scale;
mod sliders;
mod tokens;
mod unfolded_figures;
mod waves;

pub use address_history::{AddressHistory, HistoryStep};
pub use backend::BackendSection;
pub use codec::finite_number;
pub use comparison::{CompareSection, LookedAt, TrainingSection};
pub use encodings::{EncodingsSection, OpenCell, cell_text};
pub use figures::{FIGURES, FigureEntry, figure_named};
pub use fit_order::fits_in_order;
pub use head_order::heads_in_order;
pub use image_models::ImageModelsSection;
pub use images::{
    ALPHAS, CORRELATIONS, DEVIATIONS, HEAD_CENTRES, ImagesSection, LONGEST_KERNEL, SPACINGS,
    STRIDES,
};
pub use kernel_options::{FitChoice, FitScope, KernelQuestions, LONGEST_PREFIX, NEAR};
pub use kernel_sliders::{KernelNumber, SliderReach};
pub use lazy_section::LazySection;
pub use lesson::{EmbedSection, LessonPlace, LessonSection};
pub use model_name::{Inside, disambiguate, model_name, typed_name};
pub use model_ref::{BASES, ModelRef, ROWS, WIDTHS};
pub use models::{AmongOthers, LONGEST_LIST, MOST_MODELS, ModelsSection, NamedModel, PERFORMANCES};
pub use number_range::{NumberRange, four_digits};
pub use page_title::page_title;
pub use parse_warnings::ParseWarnings;
pub use section::{LinkField, LinkSection};
pub use sections::{
    AMPLITUDES, CENTRES, CLIPS, CursorSection, HeadsSection, KernelsSection, MatricesSection,
    PositionsSection, SHARPNESSES, Sort, default_kernels, starting_kernels,
};
pub use slider_scale::SliderScale;
pub use sliders::for_sliders;
pub use tokens::{LONGEST_TEXT, SHUFFLES, TokensSection};
pub use unfolded_figures::{NotesSection, UnfoldedFigures, unfold};
pub use waves::{PathView, SEEDS, TILTS, TURNS, WavesSection};

use crate::model::ModelOptions;
use codec::{Codec, Listed};
use query::QueryPairs;
use section::pairs_of;

/// A view of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The position table.
    #[default]
    Positions,
    /// Every head.
    Heads,
    /// TISA kernels.
    Kernels,
    /// Ways to encode position, beside one another.
    Encodings,
    /// Spectra, components and phases of positions, queries and keys.
    Waves,
    /// Attention on images: when it is a convolution.
    Images,
    /// Every open model side by side.
    Compare,
    /// Checkpoints of one model as a timeline.
    Training,
    /// The list of lessons.
    Lessons,
}

/// Every view: identifier, name. Menu and tests go through it.
pub const VIEWS: &[(View, &str, &str)] = &[
    (View::Positions, "positions", "Positions"),
    (View::Heads, "heads", "Heads"),
    (View::Kernels, "kernels", "Kernels"),
    (View::Encodings, "encodings", "Encodings"),
    (View::Waves, "waves", "Waves"),
    (View::Images, "images", "Images"),
    (View::Compare, "compare", "Compare"),
    (View::Training, "training", "Training"),
    (View::Lessons, "lessons", "Lessons"),
];

/// Everything that decides what is on the page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Link {
    /// Which view.
    pub view: View,
    /// Which model.
    pub model: ModelRef,
    /// What is chosen in it.
    pub choice: ModelOptions,
    /// How positions are compared.
    pub positions: PositionsSection,
    /// How matrices are drawn.
    pub matrices: MatricesSection,
    /// Which head is open, and how heads are shown.
    pub heads: HeadsSection,
    /// The kernels on the sliders.
    pub kernels: KernelsSection,
    /// The figures whose numbers or guides are unfolded.
    pub unfolded: UnfoldedFigures,
    /// The cursor that figures share.
    pub cursor: CursorSection,
    /// The encodings view, read once that view is loaded.
    pub encodings: LazySection<EncodingsSection>,
    /// What the kernels view is asked beyond its sliders, read once that view is loaded.
    pub kernel_questions: LazySection<KernelQuestions>,
    /// The tokens that are shuffled in the encodings view.
    pub tokens: LazySection<TokensSection>,
    /// What is chosen in the view of waves.
    pub waves: LazySection<WavesSection>,
    /// What is chosen in the view of images.
    pub images: LazySection<ImagesSection>,
    /// What is chosen of the open model there.
    pub image_models: LazySection<ImageModelsSection>,
    /// How compared models are laid out.
    pub compare: LazySection<CompareSection>,
    /// Where the timeline of a run stands.
    pub training: LazySection<TrainingSection>,
    /// Every open model, in the views that show several.
    pub models: LazySection<ModelsSection>,
    /// Who computes what is heavy.
    pub computing: LazySection<BackendSection>,
    /// The notes on the open model.
    pub notes: LazySection<NotesSection>,
    /// The lesson that is open.
    pub lesson: LazySection<LessonSection>,
    /// The only figure that is shown, where another page embeds this one.
    pub embed: EmbedSection,
}

impl Link {
    /// Reads a query, with or without its `?`; also what of it was not understood.
    #[must_use]
    pub fn parse(query: &str) -> (Self, ParseWarnings) {
        let mut pairs = QueryPairs::of(query);
        let mut view = View::default();
        if let Some(text) = pairs.take("view")
            && let Err(text) = Listed(VIEWS).read(&text, &mut view)
        {
            pairs.misread.note("view", &text);
        }
        let mut link = Self {
            view,
            model: ModelRef::read(&mut pairs),
            choice: model_ref::read_choice(&mut pairs),
            positions: pairs.section(),
            matrices: pairs.section(),
            heads: pairs.section(),
            kernels: pairs.section(),
            unfolded: pairs.section(),
            cursor: pairs.section(),
            encodings: LazySection::carry(&mut pairs),
            kernel_questions: LazySection::carry(&mut pairs),
            tokens: LazySection::carry(&mut pairs),
            waves: LazySection::carry(&mut pairs),
            images: LazySection::carry(&mut pairs),
            image_models: LazySection::carry(&mut pairs),
            compare: LazySection::carry(&mut pairs),
            training: LazySection::carry(&mut pairs),
            models: LazySection::carry(&mut pairs),
            computing: LazySection::carry(&mut pairs),
            notes: LazySection::carry(&mut pairs),
            lesson: LazySection::carry(&mut pairs),
            embed: pairs.section(),
        };
        // A figure is embedded in a view that has it.
        if let Some(figure) = link.embed.figure
            && !figure.views.contains(&link.view)
            && let Some(view) = figure.views.first()
        {
            link.view = *view;
        }
        (link, pairs.finish())
    }

    /// The query, without its `?`: view and model, then whatever differs from the default.
    #[must_use]
    pub fn query(&self) -> String {
        let view = Some(self.view);
        let mut pairs: Vec<(&str, String)> = Vec::new();
        pairs.extend(Listed(VIEWS).write(&self.view).map(|id| ("view", id)));
        pairs.extend(self.model.pairs());
        pairs.extend(pairs_of(&self.choice, view));
        pairs.extend(pairs_of(&self.positions, view));
        pairs.extend(pairs_of(&self.matrices, view));
        pairs.extend(pairs_of(&self.heads, view));
        pairs.extend(pairs_of(&self.kernels, view));
        pairs.extend_from_slice(self.compare.texts());
        pairs.extend(pairs_of(&self.unfolded, view));
        pairs.extend(pairs_of(&self.cursor, view));
        for texts in [
            self.encodings.texts(),
            self.kernel_questions.texts(),
            self.tokens.texts(),
            self.waves.texts(),
            self.images.texts(),
            self.image_models.texts(),
            self.training.texts(),
            self.models.texts(),
            self.computing.texts(),
            self.notes.texts(),
            self.lesson.texts(),
        ] {
            pairs.extend_from_slice(texts);
        }
        pairs.extend(pairs_of(&self.embed, view));
        // Commas, semicolons, colons and slashes are legal in a query and easier to read as they are.
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish()
            .replace("%2C", ",")
            .replace("%3B", ";")
            .replace("%3A", ":")
            .replace("%2F", "/")
    }
}
