import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import org.apache.iceberg.Files;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.parquet.ParquetSchemaUtil;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.LocalInputFile;

/** What Iceberg for Java makes of Parquet footers: a line of input is a path, its line of output the schema and the metrics. */
class FooterOracle {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, "UTF-8");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String path = in.readLine(); path != null; path = in.readLine()) {
      ObjectNode answer = JSON.createObjectNode();
      try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(Path.of(path)))) {
        var schema = ParquetSchemaUtil.convert(reader.getFileMetaData().getSchema());
        answer.set("schema", JSON.readTree(SchemaParser.toJson(schema)));
        answer.set("splitOffsets", JSON.valueToTree(ParquetUtil.getSplitOffsets(reader.getFooter())));
      }
      Metrics metrics = ParquetUtil.fileMetrics(Files.localInput(path), MetricsConfig.getDefault());
      answer.put("recordCount", metrics.recordCount());
      answer.set("columnSizes", JSON.valueToTree(metrics.columnSizes()));
      answer.set("valueCounts", JSON.valueToTree(metrics.valueCounts()));
      answer.set("nullValueCounts", JSON.valueToTree(metrics.nullValueCounts()));
      answer.set("lowerBounds", hex(metrics.lowerBounds()));
      answer.set("upperBounds", hex(metrics.upperBounds()));
      out.println(answer);
    }
  }

  private static ObjectNode hex(Map<Integer, ByteBuffer> bounds) {
    ObjectNode node = JSON.createObjectNode();
    bounds.forEach((id, bytes) -> {
      byte[] copy = new byte[bytes.remaining()];
      bytes.duplicate().get(copy);
      node.put(String.valueOf(id), HexFormat.of().formatHex(copy));
    });
    return node;
  }
}
