//! Pairs of rotary heads by statistics of their queries over a text, of an open file that holds such statistics.

use super::{
    AnswerContext, Failure, FailureKind, Host, Progress, RotaryFrequencies, RotaryLayerPairs,
    RotaryLayers, RotaryValues, RotatedPair, loaded_model::LoadedModel,
};
use crate::{
    checkpoint::Weights,
    model::{Config, Correction, HeadQuerySizes, QueryStatistics, RotaryDescription},
};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Sections of a configuration that may have the number of heads.
const SECTIONS: [&str; 3] = ["text_config", "llm_config", "language_config"];

/// Statistics of the queries of a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerQueries {
    /// The pairs that rotate, in the order of the numbers of heads.
    pub pairs: Vec<RotatedPair>,
    /// The heads that the file has.
    pub heads: Vec<HeadQuerySizes>,
}

impl<W: Weights> LoadedModel<W> {
    /// The statistics of queries in the file, if it holds them.
    pub(super) fn query_statistics(&self) -> Option<QueryStatistics> {
        let (file, _) = self.weights_and_model().ok()?;
        QueryStatistics::find(file.checkpoint.names())
    }

    /// Reads statistics layer by layer and sends each.
    ///
    /// # Errors
    /// If they contradict the configuration, cannot be read, or are not finite.
    pub(super) async fn send_query_statistics<H: Host>(
        &self,
        statistics: &QueryStatistics,
        rotary: &RotaryDescription,
        context: &AnswerContext<'_, RotaryFrequencies, H>,
    ) -> Result<(), Failure> {
        let (file, model) = self.weights_and_model()?;
        let checkpoint = &file.checkpoint;
        check_sizes(statistics, rotary, file.config.as_ref())?;
        let mut answer = RotaryLayers {
            total: statistics.layers(),
            trained_length: rotary.trained_length,
            has_statistics: true,
            ..RotaryLayers::default()
        };
        let is_scaled = model.choice().does(Correction::AngleScaling);
        let length = self.positions().n();
        for layer in 0..statistics.layers() {
            // The pairs of a layer that does not rotate have no wavelengths.
            let Some(angles) = rotary.layer_angles(layer) else {
                continue;
            };
            let frequencies = angles
                .read(checkpoint, length, is_scaled)
                .await?
                .frequencies;
            let count = frequencies.len();
            let stored = statistics.pairs(checkpoint, layer).await?;
            if let Some(stored) = stored.filter(|stored| *stored != count) {
                return Err(refuse(format!(
                    "These statistics have {stored} pairs of columns for each head of layer {}, and the configuration rotates {count}. They may be those of another model.",
                    layer + 1
                )));
            }
            let pairs = frequencies.iter().enumerate();
            let pairs = pairs.map(|(index, frequency)| RotatedPair {
                index,
                wavelength: TAU / frequency,
                columns: [index, index + count],
            });
            let queries = LayerQueries {
                pairs: pairs.collect(),
                heads: statistics.read(checkpoint, layer, count).await?,
            };
            let values = RotaryValues::Queries(queries);
            answer.layers = vec![RotaryLayerPairs { layer, values }];
            context.progress(checkpoint.bytes_read(), checkpoint.size());
            context.send(&answer);
            context.pause().await;
        }
        Ok(())
    }
}

/// Fails if the statistics have more layers or heads than the configuration.
fn check_sizes(
    statistics: &QueryStatistics,
    rotary: &RotaryDescription,
    config: Option<&Config>,
) -> Result<(), Failure> {
    let heads = config.and_then(|config| {
        let sections = SECTIONS.iter().map(|name| config.section(name));
        let mut all = std::iter::once(config).chain(sections);
        all.find_map(|section| section.count("num_attention_heads"))
    });
    let layers = Some(rotary.layers.len()).filter(|layers| *layers > 0);
    for (name, found, configured) in [
        ("layers", statistics.layers(), layers),
        (
            "heads in a layer",
            statistics.heads(),
            heads.map(|heads| heads as usize),
        ),
    ] {
        if let Some(configured) = configured.filter(|configured| found > *configured) {
            return Err(refuse(format!(
                "These statistics are of {found} {name}, and the configuration has {configured}. They may be those of another model."
            )));
        }
    }
    Ok(())
}

fn refuse(sentence: String) -> Failure {
    Failure::new(FailureKind::RefusedFile, sentence)
}
