//! The rows of rows.ndjson through arrow-rs.
use std::{collections::HashMap, fs::File, io::BufReader, sync::Arc};

use arrow::datatypes::{DataType, Field, Fields, Schema, TimeUnit};
use arrow::json::ReaderBuilder;
use parquet::arrow::{ArrowWriter, PARQUET_FIELD_ID_META_KEY};
use parquet::file::properties::WriterProperties;

fn field(id: i32, name: &str, data_type: DataType) -> Field {
    let metadata = HashMap::from([(PARQUET_FIELD_ID_META_KEY.to_string(), id.to_string())]);
    Field::new(name, data_type, true).with_metadata(metadata)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let place = Fields::from(vec![
        field(11, "city", DataType::Utf8),
        field(12, "zip", DataType::Int32),
    ]);
    let entries = Fields::from(vec![
        field(16, "key", DataType::Utf8).with_nullable(false),
        field(17, "value", DataType::Int64),
    ]);
    let entry = Field::new("key_value", DataType::Struct(entries), false);
    let schema = Arc::new(Schema::new(vec![
        field(1, "id", DataType::Int64).with_nullable(false),
        field(2, "name", DataType::Utf8),
        field(3, "price", DataType::Decimal128(9, 2)),
        field(4, "at", DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into()))),
        field(5, "day", DataType::Date32),
        field(6, "ok", DataType::Boolean),
        field(7, "ratio", DataType::Float64),
        field(8, "raw", DataType::Binary),
        field(9, "code", DataType::FixedSizeBinary(3)),
        field(10, "place", DataType::Struct(place)),
        field(13, "tags", DataType::List(Arc::new(field(14, "element", DataType::Utf8)))),
        field(15, "attrs", DataType::Map(Arc::new(entry), false)),
    ]));
    let rows = BufReader::new(File::open("../rows.ndjson")?);
    let reader = ReaderBuilder::new(schema.clone()).build(rows)?;
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(2)).build();
    let mut writer = ArrowWriter::try_new(File::create("../../arrow-rs.parquet")?, schema, Some(properties))?;
    for batch in reader {
        writer.write(&batch?)?;
    }
    writer.close()?;
    Ok(())
}
