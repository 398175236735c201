import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import org.apache.iceberg.DataTask;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataTableType;
import org.apache.iceberg.MetadataTableUtils;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;

/** Iceberg's metadata tables of one table, every row of them. */
class MetadataTables {
  private static final List<MetadataTableType> TYPES = List.of(
      MetadataTableType.FILES, MetadataTableType.MANIFESTS, MetadataTableType.SNAPSHOTS, MetadataTableType.PARTITIONS,
      MetadataTableType.ENTRIES, MetadataTableType.REFS, MetadataTableType.HISTORY);

  static ObjectNode read(Table table) throws IOException {
    ObjectNode answer = Json.MAPPER.createObjectNode();
    for (MetadataTableType type : TYPES) {
      answer.set(type.name().toLowerCase(), read(table, type));
    }
    return answer;
  }

  static ArrayNode entries(Table table) throws IOException {
    return read(table, MetadataTableType.ENTRIES);
  }

  private static ArrayNode read(Table table, MetadataTableType type) throws IOException {
    Table rows = MetadataTableUtils.createMetadataTableInstance(table, type);
    ArrayNode list = Json.MAPPER.createArrayNode();
    try (CloseableIterable<FileScanTask> tasks = rows.newScan().planFiles()) {
      for (FileScanTask task : tasks) read((DataTask) task, rows, list);
    }
    return list;
  }

  private static void read(DataTask task, Table table, ArrayNode list) throws IOException {
    try (CloseableIterable<StructLike> rows = task.rows()) {
      for (StructLike row : rows) list.add(Json.of(row, table.schema().asStruct()));
    }
  }
}
