//! Colours, dashes and type sizes of the charts.

/// Type size of ticks and legends.
pub const TEXT_SIZE: f64 = 12.0;
/// Type size of axis labels.
pub const LABEL_SIZE: f64 = 13.0;
/// Type size of the headline.
pub const TITLE_SIZE: f64 = 18.0;
/// Text and axes.
pub const INK: &str = "#333";
/// Text of lesser weight.
pub const FAINT: &str = "#767676";
/// Grid lines.
pub const GRID: &str = "#e4e4e4";
/// The grid line of the value zero.
pub const ZERO: &str = "#b4b4b4";

// Okabe and Ito's palette for colour-blind readers, with black for its yellow, faint on white.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9"];
// Seven colours and four dashes have no common divisor: 28 series all look different.
const DASHES: [&str; 4] = ["none", "8 3", "2 2.5", "9 3 2 3"];

/// The SVG attributes of the line of a series.
pub fn stroke(index: usize) -> String {
    let dash = DASHES[index % DASHES.len()];
    // round ends close the joints of a solid line but would fill the gaps of a dashed one
    let ends = if dash == "none" { "round" } else { "butt" };
    let colour = colour(index);
    format!(r#"stroke="{colour}" stroke-dasharray="{dash}" stroke-linecap="{ends}""#)
}

/// The colour of a series.
pub fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

// Outlines of the marks about their centre. Nine and the four dashes have no common divisor: 36 series
// look different without colours.
const MARKS: [&str; 9] = [
    "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
    "m-3.2-3.2h6.4v6.4h-6.4z",
    "m0-4.2l4 7h-8z",
    "m0-4.4l3.6 4.4l-3.6 4.4l-3.6-4.4z",
    "m0 4.2l4-7h-8z",
    "m-3.5-3.5l7 7m0-7l-7 7",
    "m-4.2 0h8.4m-4.2-4.2v8.4",
    "m-4.2 0l7-4v8z",
    "m4.2 0l-7-4v8z",
];

/// The path of the mark of a series at a place.
pub fn mark(index: usize, (x, y): (f64, f64)) -> String {
    format!("M{x:.1} {y:.1}{}", MARKS[index % MARKS.len()])
}
