//! Columns of a CSV file: a line of names, then numbers separated by commas, semicolons or tabs.

use super::column::{Column, positions};
use super::error::{TableError, TablePlace};

/// A cell of a line with its place in bytes.
struct Cell<'a> {
    text: &'a [u8],
    start: usize,
}

/// The named columns of a file. Lines that are empty or begin with `#` are skipped.
pub(super) fn columns(bytes: &[u8], names: &[&str]) -> Result<Vec<Column>, TableError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = bytes.split(|byte| *byte == b'\n').enumerate().map(|(k, line)| {
        // lines may end with CR and LF
        (k + 1, line.strip_suffix(b"\r").unwrap_or(line))
    });
    let is_content = |line: &[u8]| {
        let text = line.trim_ascii_start();
        !text.is_empty() && text[0] != b'#'
    };
    let mut lines = lines.filter(|(_, line)| is_content(line));
    let Some((first, header)) = lines.next() else {
        return Err(TableError::new("the file is empty"));
    };
    let separator = separator(header);
    let all = header_names(header, first, separator)?;
    let wanted = positions(&all, names)
        .map_err(|error| error.at(Some(TablePlace::Character { line: first, column: 1 })))?;
    let mut columns: Vec<Column> =
        names.iter().map(|name| Column::list(name, Vec::new())).collect();
    for (number, line) in lines {
        let mut count = 0;
        cells(line, separator, |k, cell| {
            count = k + 1;
            for (column, wanted) in columns.iter_mut().zip(&wanted) {
                if *wanted == k {
                    let place = [number, column_of(line, cell.start)];
                    column.values.push(number_of(&cell, column, place, separator)?);
                    column.characters.push(place.map(|x| u32::try_from(x).unwrap_or(u32::MAX)));
                }
            }
            Ok(())
        })?;
        if count != all.len() {
            let message =
                format!("this row has {count} values, and the first line has {} names", all.len());
            let column = column_of(line, line.len());
            let place = TablePlace::Character { line: number, column };
            return Err(TableError::new(message).at(Some(place)));
        }
    }
    Ok(columns)
}

/// The separator that occurs most often in the line of names.
fn separator(header: &[u8]) -> u8 {
    let count = |separator: u8| header.iter().filter(|byte| **byte == separator).count();
    let all = [b'\t', b';', b','];
    all.into_iter().max_by_key(|separator| count(*separator)).unwrap_or(b',')
}

fn header_names(header: &[u8], line: usize, separator: u8) -> Result<Vec<String>, TableError> {
    let mut names = Vec::new();
    cells(header, separator, |_, cell| {
        names.push(String::from_utf8_lossy(cell.text).into_owned());
        Ok(())
    })?;
    match names.iter().all(|name| name.parse::<f64>().is_ok()) {
        true => {
            Err(TableError::new("there are numbers where the names of the columns are expected")
                .help("begin the file with a line of names: x, value")
                .at(Some(TablePlace::Character { line, column: 1 })))
        }
        false => Ok(names),
    }
}

/// Calls a function with each cell of a line: without spaces around it, and without quotes.
fn cells<'a>(
    line: &'a [u8],
    separator: u8,
    mut each: impl FnMut(usize, Cell<'a>) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let (mut start, mut k) = (0, 0);
    loop {
        // a cell in quotes may contain the separator
        let space = line[start..].iter().take_while(|byte| **byte == b' ').count();
        let quoted = line[start + space..].strip_prefix(b"\"");
        let quote = quoted.and_then(|rest| rest.iter().position(|byte| *byte == b'"'));
        let search = quote.map_or(start, |length| start + space + length + 2);
        let length = line[search..].iter().position(|byte| *byte == separator);
        let end = length.map_or(line.len(), |length| search + length);
        let whole = &line[start..end];
        let text = whole.trim_ascii();
        let begin = start + (whole.len() - whole.trim_ascii_start().len());
        let inner = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
        each(k, Cell { text: inner.unwrap_or(text), start: begin })?;
        if length.is_none() {
            return Ok(());
        }
        (start, k) = (end + 1, k + 1);
    }
}

/// The column of a byte of a line, in characters, from 1.
fn column_of(line: &[u8], byte: usize) -> usize {
    // bytes within a character begin with the bits 10
    1 + line[..byte].iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

fn number_of(
    cell: &Cell<'_>,
    column: &Column,
    [line, at]: [usize; 2],
    separator: u8,
) -> Result<f64, TableError> {
    let text = std::str::from_utf8(cell.text).ok();
    if let Some(value) = text.and_then(|text| text.parse::<f64>().ok()).filter(|x| x.is_finite()) {
        return Ok(value);
    }
    let shown = String::from_utf8_lossy(cell.text);
    let name = &column.name;
    let error = TableError::new(match shown.chars().count() {
        0 => format!("the value of `{name}` is missing"),
        1..=40 => format!("`{shown}` is not a finite number (`{name}`)"),
        _ => format!("this is not a finite number (`{name}`)"),
    });
    let has_comma = separator != b',' && shown.replacen(',', ".", 1).parse::<f64>().is_ok();
    let error = if has_comma { error.help("the decimal sign is a point") } else { error };
    Err(error.at(Some(TablePlace::Character { line, column: at })))
}
