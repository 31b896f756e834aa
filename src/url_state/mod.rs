//! The link: everything that decides what is on the page, as a readable query in the address bar.
//!
//! `?view=heads&model=minilm-l6&layer=3&head=7`. A link shows the same figure to everyone. A link is untrusted: values
//! that are not understood fall back to the default, and one sentence lists them.
//!
//! A link is made of sections. Each declares its fields once, key and codec, and is parsed and written by that
//! declaration ([`LinkSection`]).

mod address_history;
mod backend;
mod codec;
mod comparison;
pub mod encodings;
mod figure_group;
mod figures;
mod fit_order;
mod head_order;
mod image_models;
mod images;
mod kernel_options;
mod kernel_ranges;
mod kernel_sliders;
mod lesson;
mod model_name;
mod model_ref;
mod models;
mod number_range;
mod page_title;
mod parse_warnings;
mod query;
mod rotary;
mod score_terms;
mod section;
mod sections;
mod slider_scale;
mod sliders;
mod text;
mod tokens;
mod unfolded_figures;
mod view;
mod waves;

pub use address_history::{AddressHistory, HistoryStep};
pub use backend::BackendSection;
pub use codec::finite_number;
pub use comparison::{CompareSection, LookedAt, TrainingSection};
pub use encodings::{EncodingsSection, OpenCell, cell_text};
pub use figure_group::FigureGroup;
pub use figures::FigureId;
pub use fit_order::fits_in_order;
pub use head_order::heads_in_order;
pub use image_models::ImageModelsSection;
pub use images::{
    ALPHAS, BOX_RADII, CORRELATIONS, DEVIATIONS, HEAD_CENTRES, HEAD_CHANNELS, ImagesSection,
    LONGEST_KERNEL, SPACINGS, STRIDES,
};
pub use kernel_options::{FitChoice, FitScope, KernelOptions, LONGEST_PREFIX, NEAR};
pub use kernel_ranges::{AMPLITUDES, CENTRES, SHARPNESSES};
pub use kernel_sliders::{KernelNumber, SliderReach};
pub use lesson::{EmbedSection, LessonPlace, LessonSection};
pub use model_name::{Inside, disambiguate, model_name, typed_name};
pub use model_ref::{BASES, MOST_LEFT_OUT, ModelRef, ROWS, WIDTHS};
pub use models::{AmongOthers, LONGEST_LIST, MOST_MODELS, ModelsSection, NamedModel, PERFORMANCES};
pub use number_range::{NumberRange, four_digits};
pub use page_title::page_title;
pub use parse_warnings::ParseWarnings;
pub use rotary::{ROTARY_FACTORS, RotarySection};
pub use score_terms::{DRAWS, TermWords};
pub use section::{LinkField, LinkSection};
pub use sections::{
    CLIPS, CenterWords, CursorSection, HeadsSection, KernelsSection, MatricesSection,
    PositionsSection, RankingR2, STARTING_LENGTH, Sort, default_kernels, starting_kernels,
};
pub use slider_scale::SliderScale;
pub use sliders::for_sliders;
pub use text::{HeadContent, LONGEST_LINKED_TEXT, TextHeads, TextScope, TextSection};
pub use tokens::{LONGEST_TEXT, SHUFFLES, TokensSection};
pub use unfolded_figures::{NotesSection, UnfoldedFigures, unfold};
pub use view::{VIEWS, View};
pub use waves::{PathView, SEEDS, TILTS, TURNS, WavesSection};

use crate::model::ModelOptions;
use codec::{Codec, OneOfNamed};
use query::QueryPairs;
use section::add_pairs;

/// Everything that decides what is on the page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Link {
    /// The open view.
    pub view: View,
    /// The open model.
    pub model: ModelRef,
    /// Options of the model.
    pub choice: ModelOptions,
    /// How positions are compared.
    pub positions: PositionsSection,
    /// How matrices are drawn.
    pub matrices: MatricesSection,
    /// The open head, and how heads are shown.
    pub heads: HeadsSection,
    /// The kernels on the sliders.
    pub kernels: KernelsSection,
    /// The figures whose number tables or guides are unfolded, and unfolded groups of figures.
    pub unfolded_figures: UnfoldedFigures,
    /// The cursor that figures share.
    pub cursor: CursorSection,
    /// Choices in the encodings view.
    pub encodings: EncodingsSection,
    /// Options of the kernels view besides its sliders.
    pub kernel_options: KernelOptions,
    /// The tokens that are shuffled in the encodings view.
    pub tokens: TokensSection,
    /// Choices in the text view.
    pub text: TextSection,
    /// Choices in the waves view.
    pub waves: WavesSection,
    /// Choices in the images view.
    pub images: ImagesSection,
    /// Options for the open model in the images view.
    pub image_models: ImageModelsSection,
    /// Numbers of the figure of rotary angles.
    pub rotary: RotarySection,
    /// How compared models are laid out.
    pub compare: CompareSection,
    /// State of the timeline of a training run.
    pub training: TrainingSection,
    /// All open models, in the views that show several.
    pub models: ModelsSection,
    /// The compute backend.
    pub backend: BackendSection,
    /// Unfolded notes on the open model.
    pub notes: NotesSection,
    /// The open lesson and its step.
    pub lesson: LessonSection,
    /// The only figure that is shown, if another page embeds this one.
    pub embed: EmbedSection,
}

impl Link {
    /// Whether heads of rotary models take their mean queries and keys from a text: in the views that run it.
    #[must_use]
    pub fn has_text_means(&self) -> bool {
        self.heads.centers.is_text() && matches!(self.view, View::Heads | View::Kernels)
    }

    /// Changes the view. Kernels that no link, fit or visitor has changed start at few positions, where every kernel has
    /// a visible width. A link without a length keeps that of the model, so links from before this start are unchanged.
    pub fn switch_view(&mut self, view: View) {
        let is_new = self.view != view && self.kernels == KernelsSection::default();
        if view == View::Kernels && is_new {
            self.kernels.length = Some(STARTING_LENGTH);
        }
        self.view = view;
    }

    /// Parses a query, with or without its `?`. Also returns the parts that were not understood.
    #[must_use]
    pub fn parse(query: &str) -> (Self, ParseWarnings) {
        let mut pairs = QueryPairs::parse(query);
        let mut view = View::default();
        if let Some(text) = pairs.take("view")
            && let Err(text) = OneOfNamed(VIEWS).read(&text, &mut view)
        {
            pairs.warnings.note("view", &text);
        }
        let mut link = Self {
            view,
            model: ModelRef::read(&mut pairs),
            choice: model_ref::read_choice(&mut pairs),
            positions: pairs.section(),
            matrices: pairs.section(),
            heads: pairs.section(),
            kernels: pairs.section(),
            unfolded_figures: pairs.section(),
            cursor: pairs.section(),
            encodings: pairs.section(),
            kernel_options: pairs.section(),
            tokens: pairs.section(),
            text: pairs.section(),
            waves: pairs.section(),
            images: pairs.section(),
            image_models: pairs.section(),
            rotary: pairs.section(),
            compare: pairs.section(),
            training: pairs.section(),
            models: pairs.section(),
            backend: pairs.section(),
            notes: pairs.section(),
            lesson: pairs.section(),
            embed: pairs.section(),
        };
        // Falls back to a view that contains the embedded figure.
        if let Some(figure) = link.embed.figure
            && !figure.views().contains(&link.view)
            && let Some(view) = figure.views().first()
        {
            link.view = *view;
        }
        (link, pairs.finish())
    }

    /// Returns the query, without its `?`: view and model, then all fields that differ from the default.
    #[must_use]
    pub fn query(&self) -> String {
        let view = Some(self.view);
        let mut pairs: Vec<(&'static str, String)> = Vec::new();
        pairs.extend(OneOfNamed(VIEWS).write(&self.view).map(|id| ("view", id)));
        pairs.extend(self.model.pairs());
        add_pairs(&mut pairs, &self.choice, view);
        add_pairs(&mut pairs, &self.positions, view);
        add_pairs(&mut pairs, &self.matrices, view);
        add_pairs(&mut pairs, &self.heads, view);
        add_pairs(&mut pairs, &self.kernels, view);
        add_pairs(&mut pairs, &self.compare, view);
        add_pairs(&mut pairs, &self.unfolded_figures, view);
        add_pairs(&mut pairs, &self.cursor, view);
        add_pairs(&mut pairs, &self.encodings, view);
        add_pairs(&mut pairs, &self.kernel_options, view);
        add_pairs(&mut pairs, &self.tokens, view);
        add_pairs(&mut pairs, &self.text, view);
        add_pairs(&mut pairs, &self.waves, view);
        add_pairs(&mut pairs, &self.images, view);
        add_pairs(&mut pairs, &self.image_models, view);
        add_pairs(&mut pairs, &self.rotary, view);
        add_pairs(&mut pairs, &self.training, view);
        add_pairs(&mut pairs, &self.models, view);
        add_pairs(&mut pairs, &self.backend, view);
        add_pairs(&mut pairs, &self.notes, view);
        add_pairs(&mut pairs, &self.lesson, view);
        add_pairs(&mut pairs, &self.embed, view);
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
