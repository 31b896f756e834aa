//! Links from earlier versions: parsed, each is written as the list of links says.

use crate::support::root;
use diagonal::url_state::Link;
use std::fs;

/// The list has at least this many links.
const FEWEST: usize = 60;

#[test]
fn old_links_mean_what_they_meant() {
    let path = root().join("tests/data/links.tsv");
    let text = fs::read_to_string(path).expect("the list of links");
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut count = 0;
    for line in lines {
        let (link, canonical) = line.split_once('\t').expect(line);
        assert_eq!(Link::parse(link).0.query(), canonical, "{link}");
        count += 1;
    }
    assert!(count >= FEWEST, "{count} links");
}
