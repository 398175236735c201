import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;

/** The rows of rows.ndjson through parquet-mr. */
class WriteRows {
  static final MessageType SCHEMA = MessageTypeParser.parseMessageType("""
      message root {
        required int64 id = 1;
        optional binary name (STRING) = 2;
        optional int32 price (DECIMAL(9,2)) = 3;
        optional int64 at (TIMESTAMP(MICROS,true)) = 4;
        optional int32 day (DATE) = 5;
        optional boolean ok = 6;
        optional double ratio = 7;
        optional binary raw = 8;
        optional fixed_len_byte_array(3) code = 9;
        optional group place = 10 { optional binary city (STRING) = 11; optional int32 zip = 12; }
        optional group tags (LIST) = 13 { repeated group list { optional binary element (STRING) = 14; } }
        optional group attrs (MAP) = 15 {
          repeated group key_value { required binary key (STRING) = 16; optional int64 value = 17; }
        }
      }
      """);

  public static void main(String[] args) throws Exception {
    var out = new LocalOutputFile(Path.of("../../parquet-mr.parquet"));
    try (var writer = ExampleParquetWriter.builder(out)
        .withConf(new PlainParquetConfiguration())
        .withType(SCHEMA)
        .withRowGroupRowCountLimit(2)
        .withWriteMode(org.apache.parquet.hadoop.ParquetFileWriter.Mode.OVERWRITE)
        .build()) {
      for (var line : Files.readAllLines(Path.of("../rows.ndjson"))) {
        writer.write(group(new ObjectMapper().readTree(line)));
      }
    }
  }

  static Group group(JsonNode row) {
    var group = new SimpleGroup(SCHEMA);
    group.add("id", row.get("id").asLong());
    if (row.hasNonNull("name")) group.add("name", row.get("name").asText());
    if (row.hasNonNull("price")) group.add("price", Integer.parseInt(row.get("price").asText().replace(".", "")));
    if (row.hasNonNull("at")) group.add("at", ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(row.get("at").asText())));
    if (row.hasNonNull("day")) group.add("day", (int) LocalDate.parse(row.get("day").asText()).toEpochDay());
    if (row.hasNonNull("ok")) group.add("ok", row.get("ok").asBoolean());
    if (row.hasNonNull("ratio")) group.add("ratio", row.get("ratio").asDouble());
    if (row.hasNonNull("raw")) group.add("raw", bytes(row.get("raw")));
    if (row.hasNonNull("code")) group.add("code", bytes(row.get("code")));
    if (row.hasNonNull("place")) {
      var place = group.addGroup("place");
      var node = row.get("place");
      if (node.hasNonNull("city")) place.add("city", node.get("city").asText());
      if (node.hasNonNull("zip")) place.add("zip", node.get("zip").asInt());
    }
    if (row.hasNonNull("tags")) {
      var tags = group.addGroup("tags");
      for (var tag : row.get("tags")) {
        var element = tags.addGroup("list");
        if (!tag.isNull()) element.add("element", tag.asText());
      }
    }
    if (row.hasNonNull("attrs")) {
      var attrs = group.addGroup("attrs");
      for (var attr : row.get("attrs").properties()) {
        var entry = attrs.addGroup("key_value");
        entry.add("key", attr.getKey());
        if (!attr.getValue().isNull()) entry.add("value", attr.getValue().asLong());
      }
    }
    return group;
  }

  static Binary bytes(JsonNode hex) {
    return Binary.fromConstantByteArray(HexFormat.of().parseHex(hex.asText()));
  }
}
