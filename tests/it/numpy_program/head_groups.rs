//! The programs of groups of heads print the numbers of their figures, with what random heads give.

use super::{
    opened::{Opened, prints},
    runs::{ProgramRuns, choices},
};
use crate::support::{
    models::data,
    python::python,
    questions::{FIRST, ask, folder},
};
use diagonal::{
    analysis::{HeadGrouping, RandomGroups, ScoreInput, ScoreMode},
    figure::{
        Figure,
        waves::{ClusterGrid, cluster_traces},
    },
    math::GroupCount,
    model::ModelOptions,
    url_state::FigureId,
};

#[test]
fn groups_beside_random_heads_are_those_of_numpy() {
    let Some(python) = python("the NumPy programs of groups of heads") else {
        return;
    };
    let bert = Opened::new(folder("bert"), ModelOptions::default());
    let file = data("bert").join("model.safetensors");
    let mut runs = ProgramRuns::new("groups");
    let mut tables = Vec::new();
    for (count, seed) in [(GroupCount::Chosen(3), 5), (GroupCount::BySilhouette, 1)] {
        let grouping = HeadGrouping {
            of: FIRST,
            input: ScoreInput::Positions(ScoreMode::AsComputed),
            count,
            seed,
        };
        let groups = ask(&bert.session, grouping.clone()).expect("groups");
        let chance = ask(&bert.session, RandomGroups { grouping }).expect("an answer");
        assert!(chance.is_some(), "products of queries and keys");
        let chance = chance.as_ref();
        for (figure, table) in [
            (
                FigureId::HeadClusters,
                ClusterGrid::new(&groups, chance).table(),
            ),
            (
                FigureId::ClusterTraces,
                cluster_traces(&groups, chance).table(),
            ),
        ] {
            let mut choices = choices(figure, ScoreMode::AsComputed, (0, 0));
            (choices.link.waves.groups, choices.link.waves.seed) = (count, seed);
            let name = format!("{}-{seed}", figure.id());
            let program = bert.program(&choices).expect("a program");
            runs.add(&name, &program, &file);
            tables.push((name, table));
        }
    }
    runs.run(&python);
    for (name, table) in &tables {
        prints(&runs, name, table);
    }
    runs.remove();
}
