import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.mapping.NameMappingParser;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.LocalInputFile;

/** Makes an append once more as Java would: on the metadata before it, with the schema after it, of the very same Parquet files. */
class Replay {
  private final LocalFiles files;

  Replay(LocalFiles files) {
    this.files = files;
  }

  /** @return the table after Java's append */
  Table append(TableMetadata before, TableMetadata after) throws IOException {
    TableMetadata base = TableMetadata.buildFrom(before).setCurrentSchema(after.schema(), after.lastColumnId())
        .setProperties(after.properties()).discardChanges().build();
    // As loaded: transforms keep the type of a promoted column until then.
    base = TableMetadataParser.fromJson(TableMetadataParser.toJson(base));
    Table table = new BaseTable(new InMemory(base, files), "replay");
    List<DataFile> added = new ArrayList<>();
    Table ours = new BaseTable(new InMemory(after, files), "ours");
    for (DataFile file : SnapshotChanges.builderFor(ours).build().addedDataFiles()) added.add(dataFile(table, file));
    AppendFiles append = table.newFastAppend();
    added.forEach(append::appendFile);
    append.commit();
    return table;
  }

  private DataFile dataFile(Table table, DataFile ours) throws IOException {
    InputFile input = files.newInputFile(ours.location());
    PartitionSpec spec = table.specs().get(ours.specId());
    DataFiles.Builder builder = DataFiles.builder(spec).withInputFile(input).withFormat("PARQUET")
        .withMetrics(metrics(table, input, MetricsConfig.forTable(table)))
        .withSplitOffsets(splitOffsets(ours.location()));
    if (spec.isPartitioned()) builder.withPartition(partition(table, spec, input));
    return builder.build();
  }

  private static Metrics metrics(Table table, InputFile input, MetricsConfig config) {
    String mapping = table.properties().get(TableProperties.DEFAULT_NAME_MAPPING);
    NameMapping names = mapping == null ? null : NameMappingParser.fromJson(mapping);
    return ParquetUtil.fileMetrics(input, config, names);
  }

  private List<Long> splitOffsets(String uri) throws IOException {
    try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(files.path(uri)))) {
      return ParquetUtil.getSplitOffsets(reader.getFooter());
    }
  }

  /** Java's transforms of Java's bounds, uncut: all values of a partition's file have one result. */
  private static StructLike partition(Table table, PartitionSpec spec, InputFile input) {
    MetricsConfig uncut = MetricsConfig.from(Map.of(TableProperties.DEFAULT_WRITE_METRICS_MODE, "full"), table.schema(), table.sortOrder());
    Metrics metrics = metrics(table, input, uncut);
    GenericRecord tuple = GenericRecord.create(spec.partitionType());
    List<PartitionField> fields = spec.fields();
    for (int at = 0; at < fields.size(); at++) {
      PartitionField field = fields.get(at);
      Type type = table.schema().findType(field.sourceId());
      var lower = metrics.lowerBounds().get(field.sourceId());
      tuple.set(at, lower == null ? null : transformed(field.transform(), type, Conversions.fromByteBuffer(type, lower)));
    }
    return tuple;
  }

  @SuppressWarnings("unchecked")
  private static <S, T> Object transformed(Transform<S, T> transform, Type type, Object value) {
    return transform.bind(type).apply((S) value);
  }

  /** A table without a catalog: a commit is its new metadata. */
  private static class InMemory implements TableOperations {
    private final FileIO io;
    private TableMetadata metadata;

    InMemory(TableMetadata metadata, FileIO io) {
      this.metadata = metadata;
      this.io = io;
    }

    public TableMetadata current() { return metadata; }
    public TableMetadata refresh() { return metadata; }
    public void commit(TableMetadata base, TableMetadata changed) { metadata = changed; }
    public FileIO io() { return io; }
    public String metadataFileLocation(String name) { return metadata.location() + "/metadata/" + name; }
    public LocationProvider locationProvider() { return LocationProviders.locationsFor(metadata.location(), metadata.properties()); }
  }
}
