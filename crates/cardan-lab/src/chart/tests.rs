//! Tests of the charts: readable ticks, odd data, bounded size.

use super::axis::ChartAxis;
use super::raster::png;
use super::*;

fn series(name: &str, points: Vec<(f64, f64)>) -> ChartSeries {
    ChartSeries { name: name.to_owned(), points }
}

fn sampled(count: usize, value: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
    (0..count).map(|index| (index as f64 * 1e-3, value(index))).collect()
}

fn figure(panels: Vec<Vec<ChartSeries>>) -> ChartFigure {
    let panel =
        |series| ChartPanel { y_label: "angle [rad]".to_owned(), scale: AxisScale::Linear, series };
    ChartFigure {
        title: "Title".to_owned(),
        subtitle: "subtitle".to_owned(),
        x_label: "time [s]".to_owned(),
        panels: panels.into_iter().map(panel).collect(),
        ..ChartFigure::default()
    }
}

/// The SVG of one panel, after a check that it is well formed.
fn drawn(series: Vec<ChartSeries>) -> String {
    let svg = svg(&figure(vec![series])).unwrap();
    let document = resvg::usvg::roxmltree::Document::parse(&svg).unwrap();
    assert!(document.root_element().has_tag_name("svg"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    svg
}

fn labels(values: &[f64]) -> Vec<String> {
    let axis = ChartAxis::new(AxisScale::Linear, values.iter().copied(), 0.06, 6.0);
    let ticks = axis.ticks();
    assert!(ticks.len() >= 2 && ticks.len() <= 8, "{values:?}: {ticks:?}");
    assert!(ticks.iter().all(|(fraction, _)| (-1e-6..=1.0 + 1e-6).contains(fraction)));
    assert!(ticks.windows(2).all(|pair| pair[0].1 != pair[1].1), "{values:?}: {ticks:?}");
    for value in values {
        assert!((0.0..=1.0).contains(&axis.fraction(*value)), "{value}");
    }
    ticks.into_iter().map(|(_, label)| label).collect()
}

fn note(values: &[f64]) -> String {
    ChartAxis::new(AxisScale::Linear, values.iter().copied(), 0.06, 6.0).note()
}

/// How many points of the curves are at a height.
fn points_at(svg: &str, height: f64) -> usize {
    let curves = svg.lines().filter(|line| line.contains("stroke-linejoin"));
    let data = curves.filter_map(|line| line.split('"').nth(1));
    let numbers = data.flat_map(|data| data.split(['M', 'L', ' ']).filter(|part| !part.is_empty()));
    let heights = numbers.skip(1).step_by(2).map(|number| number.parse::<f64>().unwrap());
    heights.filter(|y| (y - height).abs() < 0.06).count()
}

/// Pseudo-random numbers between 0 and 1.
fn noise(index: usize) -> f64 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / (1u64 << 53) as f64
}

#[test]
fn tick_labels_have_the_digits_that_they_need() {
    assert_eq!(labels(&[0.0, 2.0]), ["0", "0.5", "1", "1.5", "2"]);
    assert_eq!(labels(&[-30.0, 20.0]), ["−30", "−20", "−10", "0", "10", "20"]);
    assert_eq!(labels(&[0.0, 1.2e-7]), ["0", "0.5", "1"]);
    assert_eq!(note(&[0.0, 1.2e-7]), "×10⁻⁷");
    assert_eq!(note(&[0.0, 99_000.0]), "");
    assert_eq!(note(&[0.0, -2.5e12]), "×10¹²");
}

#[test]
fn constant_values_get_a_range_around_them() {
    assert_eq!(labels(&[1.0, 1.0]), ["0.6", "0.8", "1", "1.2", "1.4"]);
    assert_eq!(labels(&[0.0]), ["−1", "−0.5", "0", "0.5", "1"]);
    // round-off is not magnified
    assert_eq!(labels(&[35.835 - 1e-13, 35.835 + 1e-13]), ["20", "30", "40", "50"]);
}

#[test]
fn small_changes_of_a_large_value_are_told_from_an_offset() {
    let values = [35.835, 35.835 + 1e-6];
    assert_eq!(labels(&values), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
    assert_eq!(note(&values), "×10⁻⁶ + 35.835");
    assert_eq!(note(&[-1e6 - 0.02, -1e6 + 0.02]), "− 1000000");
    assert_eq!(note(&[5.1234e20, 5.1234e20 + 1e14]), "×10¹⁴ + 5.1234×10²⁰");
}

#[test]
fn axes_take_values_of_any_size() {
    let ends = [5e-324, 1e-300, 1e-200, 1e-3, 1.0, 12_345.6, 1e200, 1e308, f64::MAX];
    for low in ends.iter().flat_map(|end| [*end, -end]) {
        for high in ends.iter().flat_map(|end| [*end, -end]) {
            labels(&[low, high]);
            // nearly constant, too
            labels(&[low, low * (1.0 - high.abs().min(1e-3)), low * (1.0 - 1e-15)]);
            drawn(vec![series("s", vec![(low, high), (high, low), (0.0, f64::MIN)])]);
        }
    }
    for exponent in 1..16 {
        labels(&[7.3, 7.3 + 10f64.powi(-exponent)]);
        labels(&[-7.3e-280, -7.3e-280 * (1.0 + 10f64.powi(-exponent))]);
    }
}

#[test]
fn missing_data_is_told() {
    assert!(svg(&figure(vec![])).is_err());
    for points in [vec![], vec![(0.0, f64::NAN)], vec![(f64::INFINITY, 1.0); 3]] {
        assert!(drawn(vec![series("s", points)]).contains(">no data<"));
    }
    assert!(drawn(vec![]).contains(">no data<"));
    let partly = drawn(vec![series("a", vec![]), series("b", vec![(0.0, 1.0), (1.0, 2.0)])]);
    assert!(partly.contains("a (no data)<") && !partly.contains(">no data<"));
}

#[test]
fn gaps_stay_open_and_single_points_are_dots() {
    let mut points = sampled(10, |index| index as f64);
    points[5].1 = f64::NAN;
    points[7].1 = f64::NEG_INFINITY;
    let svg = drawn(vec![series("s", points)]);
    let curves: Vec<&str> = svg.lines().skip_while(|line| !line.contains("<title>s<")).collect();
    // points 0 to 4 and 8 to 9 as lines, point 6 as a dot
    assert_eq!(curves[1].matches('M').count(), 2);
    assert!(curves[2].contains("h.01") && curves[2].contains("round"));
    assert_eq!(curves[3], "</g>");
    assert!(drawn(vec![series("s", vec![(1.0, 1.0); 5])]).contains("h.01"));
}

#[test]
fn many_points_keep_their_peaks_in_a_small_document() {
    let count = 1_000_000;
    let peak = |index| if index == 613_007 { 9.3 } else { noise(index) };
    let text = drawn(vec![series("s", sampled(count, peak))]);
    assert!(text.len() < 200_000, "{}", text.len());
    // the axis ends 6 % above the peak, the plot begins at 87
    let top = 87.0 + 420.0 * 0.06 / 1.12;
    assert_eq!(points_at(&text, top), 1);

    let missing = |index| if index % 2 == 0 { f64::NAN } else { noise(index) };
    let tangle = (0..count).map(|index| (noise(index), noise(index + count))).collect();
    let circle = (0..count).map(|index| (index as f64 * 1e-4).sin_cos()).collect();
    for points in [sampled(count, missing), tangle, circle] {
        let text = drawn(vec![series("s", points)]);
        assert!((20_000..1_000_000).contains(&text.len()), "{}", text.len());
    }
    let peak = |index| if index == 31_007 { 9.3 } else { noise(index) };
    let crowd = (0..40).map(|_| series("s", sampled(50_000, peak)));
    let text = drawn(crowd.collect());
    assert!(text.len() < 1_000_000, "{}", text.len());
    assert_eq!(points_at(&text, top), 40);
}

#[test]
fn curves_against_each_other_keep_their_shape() {
    let circle = |count: usize| (0..count).map(move |i| (i as f64 * 6.3 / count as f64).sin_cos());
    let place = |(x, y): (f64, f64)| Some((300.0 + 200.0 * x, 300.0 + 200.0 * y));
    let pieces = curve::pieces(circle(100_000).map(place), 75_000);
    assert_eq!(pieces.len(), 1);
    assert!((2_000..6_000).contains(&pieces[0].len()), "{}", pieces[0].len());
    for pair in pieces[0].windows(2) {
        let middle = ((pair[0].0 + pair[1].0) / 2.0 - 300.0, (pair[0].1 + pair[1].1) / 2.0 - 300.0);
        assert!((middle.0.hypot(middle.1) - 200.0).abs() < 0.01);
    }
}

#[test]
fn legends_name_the_first_series_only() {
    let line = || vec![(0.0, 0.0), (1.0, 1.0)];
    let many = (0..28).map(|index| series(&format!("link_{index}"), line())).collect();
    let text = drawn(many);
    assert!(text.contains(">and 5 more</text>"));
    assert!(text.contains(">link_22</text>") && !text.contains(">link_23</text>"));
    // the y label is `angle [rad]`
    assert!(!drawn(vec![series("angle", line())]).contains(">angle</text>"));
    assert!(drawn(vec![series("crank", line())]).contains(">crank</text>"));
}

#[test]
fn logarithmic_axes_have_round_ticks_and_leave_out_what_is_not_positive() {
    let ticks = |values: &[f64]| -> Vec<String> {
        let axis = ChartAxis::new(AxisScale::Logarithmic, values.iter().copied(), 0.0, 6.0);
        axis.ticks().into_iter().map(|(_, label)| label).collect()
    };
    assert_eq!(ticks(&[1e-6, 1e-3]), ["10⁻⁶", "10⁻⁵", "10⁻⁴", "0.001"]);
    assert_eq!(ticks(&[0.1, 2.0]), ["0.1", "0.2", "0.5", "1", "2"]);
    assert_eq!(ticks(&[1e-12, 1.0]), ["10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "0.01", "1"]);
    assert!(ticks(&[0.0, -1.0]).is_empty());
    let points = vec![(0.1, 1e-3), (0.0, 1.0), (1.0, 0.0), (10.0, 1e-5)];
    let mut figure = figure(vec![vec![series("error", points)]]);
    (figure.scale, figure.panels[0].scale) = (AxisScale::Logarithmic, AxisScale::Logarithmic);
    figure.has_marks = true;
    let text = svg(&figure).unwrap();
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn panels_with_the_same_series_share_a_legend() {
    let panel =
        |names: [&str; 2]| names.map(|name| series(name, vec![(0.0, 0.0), (1.0, 1.0)])).into();
    let count = |panels| svg(&figure(panels)).unwrap().matches(">one</text>").count();
    assert_eq!(count(vec![panel(["one", "two"]), panel(["one", "two"])]), 1);
    assert_eq!(count(vec![panel(["one", "two"]), panel(["one", "three"])]), 2);
}

#[test]
fn long_and_odd_texts_are_tamed() {
    let line = || vec![(0.0, 0.0), (1.0, 1.0)];
    let long = "crank.angular_velocity_world.".repeat(10_000) + "z";
    let mut figure = figure(vec![vec![series(&long, line()), series("<a&\"b\">\u{0}\n", line())]]);
    figure.title = "Σ & <τ> ".repeat(1000);
    figure.x_label = long.clone();
    figure.panels[0].y_label = "字".repeat(500);
    let text = svg(&figure).unwrap();
    resvg::usvg::roxmltree::Document::parse(&text).unwrap();
    assert!(text.contains("&lt;a&amp;&quot;b&quot;&gt;"));
    let name = text::shortened(&long, 12.0, 235.0);
    assert!(name.starts_with("crank.") && name.contains('…') && name.ends_with("world.z"));
    assert!((200.0..=235.0).contains(&text::width(&name, 12.0)));
    assert_eq!(text::shortened("abc", 12.0, -1.0), "…");
}

#[test]
fn images_have_two_pixels_for_one_and_show_text() {
    let text = drawn(vec![series("s", vec![(0.0, 0.0), (1.0, 1.0)])]);
    let image = png(&text).unwrap();
    assert_eq!(&image[1..4], b"PNG");
    assert_eq!(image[16..20], 2000u32.to_be_bytes());
    let bare = text.replace("<text", "<desc").replace("</text>", "</desc>");
    assert!(png(&bare).unwrap().len() + 5_000 < image.len());
    assert!(png("<svg").is_err());
}

#[test]
fn the_font_has_the_signs_of_labels() {
    use skrifa::MetadataProvider;
    let font = skrifa::FontRef::new(text::FONT).unwrap();
    for sign in "azAZ09[]/_äßéžαωΩφ⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺₀₉·×÷−±√∞°…–→↔".chars()
    {
        assert!(font.charmap().map(sign).is_some(), "{sign}");
    }
}
