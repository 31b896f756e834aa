//! Parses the head of a lesson and the list of settings of a step: lines of `key: value`.

use super::{Claim, Head, Step, StepHighlight, number::identifier};

/// Parses a line of the head.
pub(crate) fn read_head(head: &mut Head, line: &str) -> Result<(), String> {
    let (key, value) = pair(line)?;
    let place = match key {
        "title" => &mut head.title,
        "about" => &mut head.about,
        "source" => &mut head.source,
        "language" => &mut head.language,
        "minutes" => {
            head.minutes = Some(whole(value)?);
            return Ok(());
        }
        "needs" => {
            let ids = value.split(',').map(|id| lesson_identifier(id.trim()));
            head.needs = ids.collect::<Result<_, _>>()?;
            return Ok(());
        }
        _ => {
            return Err(format!(
                "“{key}” is nothing that the head says: title, about, source, language, minutes and needs are."
            ));
        }
    };
    value.clone_into(place);
    Ok(())
}

/// Parses a line of a step's settings.
pub(crate) fn read_setting(step: &mut Step, line: &str) -> Result<(), String> {
    let (key, value) = pair(line)?;
    match key {
        "state" => step.state = Some(value.strip_prefix('?').unwrap_or(value).to_owned()),
        "light" => {
            step.light = value
                .split(',')
                .map(|id| identifier(id.trim()))
                .collect::<Result<_, _>>()?;
        }
        "source" => value.clone_into(&mut step.source),
        "holds" => step.claims.push(Claim::parse(value)?),
        _ => read_lit(&mut step.highlight, key, value)?,
    }
    Ok(())
}

fn read_lit(lit: &mut StepHighlight, key: &str, value: &str) -> Result<(), String> {
    match key {
        "offset" => lit.offset = Some(whole(value)?),
        "cell" => lit.cell = Some(two(value)?),
        "head" => {
            let (layer, head) = two(value)?;
            lit.head = Some((from_one(layer)?, from_one(head)?));
        }
        "kernel" => lit.kernel = Some(from_one(whole(value)?)?),
        _ => {
            return Err(format!(
                "“{key}” sets up nothing: state, light, offset, cell, head, kernel, source and holds do."
            ));
        }
    }
    Ok(())
}

fn pair(line: &str) -> Result<(&str, &str), String> {
    line.split_once(':')
        .map(|(key, value)| (key.trim(), value.trim()))
        .ok_or_else(|| format!("“{}” should read key: value.", line.trim()))
}

fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    let number = text.trim().replace('−', "-").parse().ok();
    number.ok_or_else(|| format!("“{text}” is no whole number, or not in range."))
}

/// The identifier of a lesson: the name of its file without its ending.
fn lesson_identifier(text: &str) -> Result<String, String> {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if text.is_empty() || !text.bytes().all(is_part) {
        return Err(format!(
            "“{text}” is no identifier of a lesson, such as 04-toeplitz."
        ));
    }
    Ok(text.to_owned())
}

fn two(text: &str) -> Result<(usize, usize), String> {
    let (one, other) = text
        .split_once(',')
        .ok_or_else(|| format!("“{text}” should be two numbers with a comma between them."))?;
    Ok((whole(one)?, whole(other)?))
}

fn from_one(number: usize) -> Result<usize, String> {
    number
        .checked_sub(1)
        .ok_or_else(|| "Layers, heads and kernels are counted from 1.".to_owned())
}
