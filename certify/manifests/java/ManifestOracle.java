import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.io.CloseableIterable;

/**
 * What Iceberg for Java reads of tables, and what it would have written itself. A line of input is, in JSON, the URI of a table’s
 * newest metadata file, which lies with everything it names in the folder of the first argument. Its line of output is
 * {tables: the metadata tables, read: the data files that ManifestReader finds in each manifest, appends: of each snapshot
 * of the registrar's the {ours, java} snapshots, each {summary, list, manifests}, or {ours, refusal} where Java cannot,
 * merges: of each commit of the registrar's that merged manifests the entries {before, after}}.
 */
class ManifestOracle {
  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, "UTF-8");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    LocalFiles files = new LocalFiles(Path.of(args[0]));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      ObjectNode answer = Json.MAPPER.createObjectNode();
      try {
        answer.set("answer", read(Json.MAPPER.readValue(line, String.class), files));
      } catch (Exception error) {
        answer.put("error", error.toString());
      }
      out.println(answer);
    }
  }

  private static ObjectNode read(String uri, LocalFiles files) throws IOException {
    TableMetadata newest = TableMetadataParser.read(files, uri);
    Table table = table(newest, files);
    ObjectNode answer = Json.MAPPER.createObjectNode();
    answer.set("tables", MetadataTables.read(table));
    answer.set("read", dataFiles(table));
    ArrayNode appends = answer.putArray("appends");
    ArrayNode merges = answer.putArray("merges");
    TableMetadata before = null;
    for (TableMetadata after : history(newest, files)) {
      if (before != null && isOurs(before, after) && isMerge(after, files)) {
        ObjectNode merge = merges.addObject();
        merge.set("before", MetadataTables.entries(table(before, files)));
        merge.set("after", MetadataTables.entries(table(after, files)));
      } else if (before != null && isOurs(before, after)) {
        ObjectNode append = appends.addObject();
        append.set("ours", snapshot(after.currentSnapshot(), files));
        try {
          append.set("java", snapshot(new Replay(files).append(before, after).currentSnapshot(), files));
        } catch (RuntimeException refusal) {
          append.put("refusal", refusal.toString());
        }
      }
      before = after;
    }
    return answer;
  }

  private static Table table(TableMetadata metadata, LocalFiles files) {
    return new BaseTable(new StaticTableOperations(metadata, files), "table");
  }

  /** Whether the commit also merged manifests, which a fast append does not. */
  private static boolean isMerge(TableMetadata metadata, LocalFiles files) {
    Snapshot head = metadata.currentSnapshot();
    return head.allManifests(files).stream()
        .anyMatch(manifest -> manifest.snapshotId() == head.snapshotId() && manifest.hasExistingFiles());
  }

  private static List<TableMetadata> history(TableMetadata newest, LocalFiles files) {
    List<TableMetadata> history = new ArrayList<>();
    newest.previousFiles().forEach(entry -> history.add(TableMetadataParser.read(files, entry.file())));
    history.add(newest);
    return history;
  }

  private static boolean isOurs(TableMetadata before, TableMetadata after) {
    Snapshot head = after.currentSnapshot();
    return head != null && !Objects.equals(head, before.currentSnapshot()) && head.operation().equals("append")
        && head.summary().containsKey("iceberg-registrar.version");
  }

  /** The live files of every manifest, sequence numbers and row IDs inherited as a reader sees them. */
  private static ArrayNode dataFiles(Table table) throws IOException {
    ArrayNode list = Json.MAPPER.createArrayNode();
    if (table.currentSnapshot() == null) return list;
    for (ManifestFile manifest : table.currentSnapshot().dataManifests(table.io())) {
      try (CloseableIterable<? extends ContentFile<?>> read = ManifestFiles.read(manifest, table.io(), table.specs())) {
        for (ContentFile<?> file : read) {
          ObjectNode node = list.addObject();
          node.put("path", file.location());
          node.put("recordCount", file.recordCount());
          node.put("dataSequenceNumber", file.dataSequenceNumber());
          node.put("fileSequenceNumber", file.fileSequenceNumber());
          node.put("firstRowId", file.firstRowId());
          node.put("specId", file.specId());
        }
      }
    }
    return list;
  }

  private static JsonNode snapshot(Snapshot snapshot, LocalFiles files) throws IOException {
    ObjectNode node = Json.MAPPER.createObjectNode();
    node.put("snapshotId", String.valueOf(snapshot.snapshotId()));
    node.put("operation", snapshot.operation());
    node.set("summary", Json.MAPPER.valueToTree(snapshot.summary()));
    node.put("sequenceNumber", snapshot.sequenceNumber());
    node.put("parentId", snapshot.parentId() == null ? null : String.valueOf(snapshot.parentId()));
    node.put("schemaId", snapshot.schemaId());
    node.put("firstRowId", snapshot.firstRowId());
    node.put("addedRows", snapshot.addedRows());
    node.set("list", AvroFile.read(files.newInputFile(snapshot.manifestListLocation())));
    ArrayNode manifests = node.putArray("manifests");
    for (ManifestFile manifest : snapshot.allManifests(files)) {
      if (manifest.snapshotId() == snapshot.snapshotId()) manifests.add(AvroFile.read(files.newInputFile(manifest.path())));
    }
    return node;
  }
}
