//! Parts of a model that were read before, with the values they depend on: a part whose values have not changed is not
//! read again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use toml::de::{DeTable, DeValue};

use super::entry::{find, items};
use super::scope::ValueReader;
use crate::expression::NameSet;
use crate::model::{Dimension, MechanismItem};

/// The words of a text of the file.
type Words = BTreeSet<String>;

/// The place of a part: that of its name in the text, and its index if it is repeated.
type PartPlace = (usize, Option<u64>);

/// What the readers of all parts depend on beside the values of parameters.
#[derive(Clone, Debug, PartialEq)]
struct PartContext {
    dimension: Dimension,
    start: u64,
    signals: NameSet,
    variable: Vec<String>,
}

impl PartContext {
    fn of(reader: &ValueReader<'_>) -> Self {
        Self {
            dimension: reader.dimension,
            start: reader.start.to_bits(),
            signals: reader.signals.clone(),
            variable: reader.variable.clone(),
        }
    }
}

/// A part with the bits of the values that its text names.
#[derive(Clone, Debug)]
struct KnownPart {
    item: MechanismItem,
    values: Vec<(String, u64)>,
}

impl KnownPart {
    /// Whether all values that it depends on have the same bits.
    fn has_values(&self, names: &[(&str, f64)]) -> bool {
        self.values.iter().all(|(name, bits)| {
            let now = names.iter().rev().find(|(other, _)| other == name);
            now.is_some_and(|(_, x)| x.to_bits() == *bits)
        })
    }
}

/// The parts of one reading of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownParts {
    context: Option<PartContext>,
    /// The words of each table that formulas may use.
    tables: BTreeMap<String, Words>,
    parts: HashMap<PartPlace, KnownPart>,
}

/// Whether parts are stored or taken from an earlier reading.
pub(super) enum PartReuse<'k> {
    /// All parts are read.
    Off,
    /// All parts are read, and stored.
    Store(&'k mut KnownParts),
    /// Only parts are read whose values have changed.
    Use(&'k KnownParts),
}

impl KnownParts {
    /// Begins to store the parts of a file.
    pub fn begin(&mut self, reader: &ValueReader<'_>, file: &DeTable<'_>) {
        self.context = Some(PartContext::of(reader));
        if let Some(DeValue::Table(tables)) = find(file, "table").map(|node| node.get_ref()) {
            self.tables = tables
                .iter()
                .map(|(k, v)| (k.get_ref().to_string(), words_of(v.get_ref())))
                .collect();
        }
    }

    /// Whether the parts were read under the same conditions.
    pub fn fits(&self, reader: &ValueReader<'_>) -> bool {
        self.context.as_ref() == Some(&PartContext::of(reader))
    }

    /// The part at a place, if all values that it depends on have the same bits.
    pub fn find(&self, place: PartPlace, names: &[(&str, f64)]) -> Option<&MechanismItem> {
        let known = self.parts.get(&place)?;
        known.has_values(names).then_some(&known.item)
    }

    /// The number of parts that do not change with these values.
    #[cfg(test)]
    pub fn count(&self, names: &[(&str, f64)]) -> usize {
        self.parts.values().filter(|known| known.has_values(names)).count()
    }

    /// Stores a part. It depends on the parameters that its text names, and on those of the tables that it names.
    pub fn store(
        &mut self,
        place: PartPlace,
        key: &str,
        entry: &DeTable<'_>,
        names: &[(&str, f64)],
        item: &MechanismItem,
    ) {
        let mut words = Words::new();
        add_words(key, &mut words);
        // `repeat` is evaluated before it is known which parts there are
        let own = items(entry).into_iter().filter(|(key, ..)| *key != "repeat");
        own.for_each(|(key, _, node)| add_item(key, node.get_ref(), &mut words));
        let of_tables: Vec<&Words> = self
            .tables
            .iter()
            .filter(|(name, _)| words.contains(*name))
            .map(|(_, words)| words)
            .collect();
        let is_used =
            |name: &str| words.contains(name) || of_tables.iter().any(|words| words.contains(name));
        let values = names.iter().filter(|(name, _)| is_used(name));
        let values = values.map(|(name, x)| (name.to_string(), x.to_bits())).collect();
        self.parts.insert(place, KnownPart { item: item.clone(), values });
    }
}

/// The words in all texts of a value.
fn words_of(value: &DeValue<'_>) -> Words {
    let mut words = Words::new();
    add_value(value, &mut words);
    words
}

fn add_table(table: &DeTable<'_>, words: &mut Words) {
    items(table).into_iter().for_each(|(key, _, node)| add_item(key, node.get_ref(), words));
}

fn add_item(key: &str, value: &DeValue<'_>, words: &mut Words) {
    add_words(key, words);
    add_value(value, words);
}

fn add_value(value: &DeValue<'_>, words: &mut Words) {
    match value {
        DeValue::String(text) => add_words(text, words),
        DeValue::Array(list) => list.iter().for_each(|node| add_value(node.get_ref(), words)),
        DeValue::Table(table) => add_table(table, words),
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {}
    }
}

fn add_words(text: &str, words: &mut Words) {
    let all = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.extend(all.filter(|word| !word.is_empty()).map(str::to_string));
}
