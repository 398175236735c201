import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.iceberg.io.InputFile;

/** An Avro file as Avro's own reader finds it, Iceberg aside: {metadata, schema, records}. */
class AvroFile {
  private static final ObjectMapper JSON = new ObjectMapper();

  static ObjectNode read(InputFile file) throws IOException {
    ObjectNode answer = JSON.createObjectNode();
    try (var reader = new DataFileStream<Object>(file.newStream(), new GenericDatumReader<>())) {
      ObjectNode metadata = answer.putObject("metadata");
      for (String key : reader.getMetaKeys()) metadata.put(key, reader.getMetaString(key));
      metadata.remove("avro.schema");
      // Names and schemas are checked as strictly as Avro can.
      new Schema.Parser().setValidateDefaults(true).parse(reader.getMetaString("avro.schema"));
      answer.set("schema", JSON.readTree(reader.getMetaString("avro.schema")));
      var records = answer.putArray("records");
      while (reader.hasNext()) records.add(Json.of(reader.next()));
    }
    return answer;
  }
}
