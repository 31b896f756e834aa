//! Questions about kernels that are fitted to heads.

use super::Answered;
use crate::support::questions::{FIRST, head_of_first};
use diagonal::{
    analysis::{FitOptions, HeadFit, HeadFits, ReadSnapshot, ScoreMode},
    model::ModelOptions,
};

impl Answered {
    /// Asks for kernels of a head, of a layer and of a snapshot.
    pub(super) fn ask_about_fits(&mut self) {
        let (of, of_first) = (FIRST, Some(FIRST));
        let mode = ScoreMode::Paper;
        let head = head_of_first(ScoreMode::AsComputed, 1, 3);
        let options = FitOptions {
            kernels: 2,
            ..FitOptions::default()
        };
        let fits = self.ask(HeadFit { of: head, options }, of_first);
        assert!(fits.fits.len() >= 2);
        let layer = Some(0);
        let fits = self.ask(
            HeadFits {
                of,
                input: mode.into(),
                layer,
                options,
            },
            of_first,
        );
        assert_eq!(fits.fits.len(), 4);
        let snapshot = ReadSnapshot {
            options: ModelOptions::default(),
            waves: true,
            fit: Some(options),
        };
        let snapshot = self.ask(snapshot, None);
        assert_eq!(snapshot.heads.len(), snapshot.fits.len());
    }
}
