//! Questions about images and about models of images.

use super::{Answered, open_question};
use diagonal::{
    analysis::{
        ConcatenateHeads, ConvolutionErrors, FilterImage, FilterSetting, ImageSource, ModelVersion,
        NumpyCode, Origin, PatchMaps, PatchSimilarity, Sample, Similarity, StoredGaussians, alphas,
        in_their_places, kernel_of,
    },
    math::{Padding, TapSide},
};

impl Answered {
    /// Opens a model of images and asks about its heads, and about a filter without a model.
    pub(super) fn ask_about_images(&mut self) {
        let similarity = Similarity::Cosine;
        let fourth = ModelVersion { id: 4, revision: 1 };
        self.ask(open_question(4, Origin::Files), Some(fourth));
        let gaussians = self.ask(StoredGaussians { of: fourth }, Some(fourth));
        let code = self.ask(NumpyCode { of: fourth }, Some(fourth));
        assert!(code.is_ok_and(|code| !code.segments.is_empty()));
        assert_eq!(gaussians.expect("Gaussians").len(), 3);
        let patches = PatchSimilarity {
            of: fourth,
            similarity,
            other: None,
            layer: 1,
        };
        let maps = self.ask(patches, Some(fourth));
        assert!(matches!(maps, PatchMaps::ByHead(maps) if maps.heads.len() == 4));

        let kernel = kernel_of("blur").expect("a kernel");
        let setting = FilterSetting {
            image: ImageSource::Sample(Sample::Rings, 16),
            heads: in_their_places(&kernel, TapSide::AsWritten, 64.0),
            head_channels: None,
            kernel,
            side: TapSide::AsWritten,
            padding: Padding::Edge,
            stride: 1,
        };
        let made = self.ask(
            FilterImage {
                of: setting.clone(),
            },
            None,
        );
        assert!(made.error.greatest < 1e-9);
        let query = (3, 4);
        let concatenation = self.ask(
            ConcatenateHeads {
                of: setting.clone(),
                query,
            },
            None,
        );
        assert_eq!(concatenation.heads.len(), 9);
        let errors = self.ask(ConvolutionErrors { of: setting }, None);
        assert_eq!(errors.len(), alphas().len());
    }
}
