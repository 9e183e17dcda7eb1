//! Values between JSON, TOML and Python.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

/// A JSON value as Python objects.
pub fn json_to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => whole.into_pyobject(py)?.into_any(),
            (None, Some(whole)) => whole.into_pyobject(py)?.into_any(),
            _ => number.as_f64().unwrap_or(f64::NAN).into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(list) => {
            let items: PyResult<Vec<_>> =
                list.iter().map(|item| json_to_python(py, item)).collect();
            PyList::new(py, items?)?.into_any()
        }
        Value::Object(table) => {
            let dict = PyDict::new(py);
            for (key, item) in table {
                dict.set_item(key, json_to_python(py, item)?)?;
            }
            dict.into_any()
        }
    })
}

/// A TOML value as Python objects.
pub fn toml_to_python<'py>(py: Python<'py>, value: &toml::Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        toml::Value::String(text) => text.into_pyobject(py)?.into_any(),
        toml::Value::Integer(whole) => whole.into_pyobject(py)?.into_any(),
        toml::Value::Float(number) => number.into_pyobject(py)?.into_any(),
        toml::Value::Boolean(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        toml::Value::Datetime(time) => time.to_string().into_pyobject(py)?.into_any(),
        toml::Value::Array(list) => {
            let items: PyResult<Vec<_>> =
                list.iter().map(|item| toml_to_python(py, item)).collect();
            PyList::new(py, items?)?.into_any()
        }
        toml::Value::Table(table) => toml_table(py, table)?.into_any(),
    })
}

/// A TOML table as a dictionary.
pub fn toml_table<'py>(py: Python<'py>, table: &toml::Table) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, item) in table {
        dict.set_item(key, toml_to_python(py, item)?)?;
    }
    Ok(dict)
}

/// Numbers as an array.
pub fn array<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, values)
}

/// Columns of equal length as one array, a row per column. The columns are freed one by one.
pub fn block<'py>(py: Python<'py>, columns: Vec<Vec<f64>>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (count, rows) = (columns.len(), columns.first().map_or(0, Vec::len));
    let mut all = Vec::with_capacity(count * rows);
    for column in columns {
        all.extend_from_slice(&column);
    }
    PyArray1::from_vec(py, all).reshape([count, rows])
}

/// A matrix given row by row.
pub fn matrix<'py>(
    py: Python<'py>,
    rows: usize,
    columns: usize,
    entry: impl Fn(usize, usize) -> f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let all = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    let all: Vec<f64> = all.map(|(i, j)| entry(i, j)).collect();
    PyArray1::from_vec(py, all).reshape([rows, columns])
}
