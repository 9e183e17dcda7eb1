//! The file formats of results.

/// How results are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResultsFormat {
    /// Columns, compressed, with metadata.
    #[default]
    Parquet,
    /// Text.
    Csv,
}

impl ResultsFormat {
    /// Every format.
    pub const ALL: [Self; 2] = [Self::Parquet, Self::Csv];

    /// The space that a number takes, at most.
    pub fn bytes_per_number(self) -> u64 {
        match self {
            Self::Parquet => 8,
            Self::Csv => 24,
        }
    }

    /// The name of the file of results.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Parquet => "results.parquet",
            Self::Csv => "results.csv",
        }
    }
}
