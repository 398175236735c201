import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.iceberg.rest.RESTCatalog;

/**
 * Iceberg for Java's newFastAppend, with the metrics of each file's footer, as a process that lives: a job a line on standard input,
 * an answer a line on standard output.
 *
 * {@code java -cp 'jars/*' IcebergJavaPeer.java '{"catalog":"http://…","endpoint":"http://…",…}'}, then
 * {@code {"table":"a.b","files":["s3://…"]}} a line.
 */
class IcebergJavaPeer {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final ExecutorService FOOTERS = Executors.newFixedThreadPool(8);

  public static void main(String[] args) throws Exception {
    try (RESTCatalog catalog = connect(JSON.readTree(args[0]))) {
      Map<String, Table> tables = new HashMap<>();
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        JsonNode job = JSON.readTree(line);
        long started = System.nanoTime();
        long cpu = SYSTEM.getProcessCpuTime();
        Table table =
            tables.computeIfAbsent(
                job.get("table").asText(), name -> catalog.loadTable(TableIdentifier.parse(name)));
        append(table, job.get("files"));
        System.out.printf(
            Locale.ROOT,
            "{\"elapsedMs\":%.3f,\"cpuMs\":%.3f,\"rssMib\":%.1f}%n",
            (System.nanoTime() - started) / 1e6,
            (SYSTEM.getProcessCpuTime() - cpu) / 1e6,
            rssMib());
        System.out.flush();
      }
    }
    FOOTERS.shutdown();
  }

  private static RESTCatalog connect(JsonNode services) {
    RESTCatalog catalog = new RESTCatalog();
    catalog.initialize(
        "bench",
        Map.of(
            "uri", services.get("catalog").asText(),
            "io-impl", "org.apache.iceberg.aws.s3.S3FileIO",
            "s3.endpoint", services.get("endpoint").asText(),
            "s3.path-style-access", "true",
            "s3.access-key-id", services.get("accessKeyId").asText(),
            "s3.secret-access-key", services.get("secretAccessKey").asText(),
            "client.region", services.get("region").asText()));
    return catalog;
  }

  private static void append(Table table, JsonNode files) throws Exception {
    List<Callable<DataFile>> reads = new ArrayList<>();
    files.forEach(path -> reads.add(() -> dataFile(table, path.asText())));
    var append = table.newFastAppend();
    for (Future<DataFile> file : FOOTERS.invokeAll(reads)) append.appendFile(file.get());
    append.commit();
  }

  private static DataFile dataFile(Table table, String path) {
    InputFile file = table.io().newInputFile(path);
    return DataFiles.builder(table.spec())
        .withPath(path)
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(file.getLength())
        .withMetrics(ParquetUtil.fileMetrics(file, MetricsConfig.forTable(table)))
        .build();
  }

  private static double rssMib() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) return Double.parseDouble(line.replaceAll("\\D", "")) / 1024;
    }
    return 0;
  }
}
