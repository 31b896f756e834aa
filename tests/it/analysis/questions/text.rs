//! Questions about texts.

use super::{Answered, open_question};
use diagonal::analysis::{
    DescribeTextSupport, MatrixPart, ModelVersion, Origin, PredictTokens, RunTexts, ScorePart,
    SpecialTokenMode, TextHeadMatrix, TextHeadProfile, TextId, TextPartMatrix, TextPartShares,
    TextTokens, TextValues,
};

impl Answered {
    /// Opens a model that predicts words and asks all questions about a text.
    pub(super) fn ask_about_text(&mut self) {
        let of = ModelVersion { id: 5, revision: 1 };
        self.ask(open_question(5, Origin::Files), Some(of));
        let text = TextId { run: 3, index: 0 };
        let (layer, head, special) = (1, 0, SpecialTokenMode::Shown);
        let values = TextValues::Scores;
        let support = self.ask(DescribeTextSupport { of }, Some(of));
        let run = RunTexts {
            of,
            run: text.run,
            texts: vec![TextTokens::plain(vec![1, 2, 3])],
            stores_bytes: false,
        };
        assert_eq!(self.ask(run, Some(of)).passed_layers, support.layers);
        let matrix = TextHeadMatrix {
            of,
            text,
            layer,
            head,
            values,
            part: MatrixPart::Whole,
            special,
        };
        self.ask(matrix, Some(of));
        let profile = TextHeadProfile {
            of,
            run: text.run,
            layer,
            head,
            values,
            special,
        };
        assert_eq!(self.ask(profile, Some(of)).offsets.len(), 5);
        let shares = self.ask(TextPartShares { of, text }, Some(of));
        assert_eq!(shares.len(), 5 * support.heads);
        let part = TextPartMatrix {
            of,
            text,
            head,
            part: ScorePart::ContentContent,
            special,
        };
        self.ask(part, Some(of));
        let predictions = PredictTokens {
            of,
            text,
            positions: vec![0, 2],
        };
        assert_eq!(self.ask(predictions, Some(of)).len(), 2);
    }
}
