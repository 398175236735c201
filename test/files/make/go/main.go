// The rows of rows.ndjson through arrow-go.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

func field(id int, name string, dataType arrow.DataType) arrow.Field {
	metadata := arrow.NewMetadata([]string{"PARQUET:field_id"}, []string{strconv.Itoa(id)})
	return arrow.Field{Name: name, Type: dataType, Nullable: true, Metadata: metadata}
}

func required(field arrow.Field) arrow.Field {
	field.Nullable = false
	return field
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// The form that arrow-go reads: bytes in base64, a map as a list of entries.
func row(line []byte) []byte {
	decoder := json.NewDecoder(strings.NewReader(string(line)))
	decoder.UseNumber()
	row := map[string]any{}
	must(0, decoder.Decode(&row))
	for _, name := range []string{"raw", "code"} {
		if text, ok := row[name].(string); ok {
			row[name] = base64.StdEncoding.EncodeToString(must(hex.DecodeString(text)))
		}
	}
	if attrs, ok := row["attrs"].(map[string]any); ok {
		entries := []map[string]any{}
		for key, value := range attrs {
			entries = append(entries, map[string]any{"key": key, "value": value})
		}
		row["attrs"] = entries
	}
	return must(json.Marshal(row))
}

func main() {
	place := arrow.StructOf(
		field(11, "city", arrow.BinaryTypes.String),
		field(12, "zip", arrow.PrimitiveTypes.Int32),
	)
	attrs := arrow.MapOfFields(
		required(field(16, "key", arrow.BinaryTypes.String)),
		field(17, "value", arrow.PrimitiveTypes.Int64),
	)
	schema := arrow.NewSchema([]arrow.Field{
		required(field(1, "id", arrow.PrimitiveTypes.Int64)),
		field(2, "name", arrow.BinaryTypes.String),
		field(3, "price", &arrow.Decimal128Type{Precision: 9, Scale: 2}),
		field(4, "at", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}),
		field(5, "day", arrow.FixedWidthTypes.Date32),
		field(6, "ok", arrow.FixedWidthTypes.Boolean),
		field(7, "ratio", arrow.PrimitiveTypes.Float64),
		field(8, "raw", arrow.BinaryTypes.Binary),
		field(9, "code", &arrow.FixedSizeBinaryType{ByteWidth: 3}),
		field(10, "place", place),
		field(13, "tags", arrow.ListOfField(field(14, "element", arrow.BinaryTypes.String))),
		field(15, "attrs", attrs),
	}, nil)

	file := must(os.Create("../../arrow-go.parquet"))
	properties := parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(2), parquet.WithStats(true))
	writer := must(pqarrow.NewFileWriter(schema, file, properties, pqarrow.DefaultWriterProps()))
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for lines := bufio.NewScanner(must(os.Open("../rows.ndjson"))); lines.Scan(); {
		must(0, builder.UnmarshalJSON(row(lines.Bytes())))
	}
	must(0, writer.WriteBuffered(builder.NewRecord()))
	must(0, writer.Close())
}
