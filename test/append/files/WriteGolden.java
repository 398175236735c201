package org.apache.iceberg;

import java.io.File;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;

/** Wrote the .avro files beside it with iceberg-open-api 1.10.1; java-inputs.ts has the same inputs. No fixed column: 1.10.1 writes it malformed. */
public class WriteGolden {
  static final Schema SCHEMA = new Schema(3, List.of(
      Types.NestedField.required(1, "id", Types.LongType.get()), optional(2, "b", Types.BooleanType.get()),
      optional(3, "i", Types.IntegerType.get()), optional(4, "f", Types.FloatType.get()),
      optional(5, "d", Types.DoubleType.get()), optional(6, "dec", Types.DecimalType.of(9, 2)),
      optional(7, "dt", Types.DateType.get()), optional(8, "tm", Types.TimeType.get()),
      optional(9, "ts", Types.TimestampType.withoutZone()), optional(10, "tz", Types.TimestampType.withZone()),
      optional(11, "s", Types.StringType.get()), optional(12, "u", Types.UUIDType.get()),
      optional(14, "bin", Types.BinaryType.get()), optional(15, "9 c.x", Types.StringType.get()),
      optional(16, "dec2", Types.DecimalType.of(9, 2)), optional(17, "bigdec", Types.DecimalType.of(38, 10)),
      optional(18, "nest", Types.StructType.of(optional(19, "x", Types.LongType.get())))));

  static Types.NestedField optional(int id, String name, org.apache.iceberg.types.Type type) {
    return Types.NestedField.optional(id, name, type);
  }

  static DataFile dataFile(PartitionSpec spec, PartitionData partition, int n) {
    DataFiles.Builder builder = DataFiles.builder(spec)
        .withPath("s3://bucket/key " + n + "%20ü.parquet").withFormat(FileFormat.PARQUET).withFileSizeInBytes(123456L + n)
        .withMetrics(new Metrics(10L + n, Map.of(1, 100L + n), Map.of(1, 5000000000L), Map.of(11, 4L), null,
            Map.of(1, Conversions.toByteBuffer(Types.LongType.get(), -5L)),
            Map.of(1, Conversions.toByteBuffer(Types.LongType.get(), Long.MAX_VALUE))))
        .withSplitOffsets(List.of(4L, 3000L)).withSortOrder(SortOrder.unsorted());
    return (spec.isPartitioned() ? builder.withPartition(partition) : builder).build();
  }

  static FileMetadata.Builder deletes(String name, FileFormat format, int n) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned()).ofPositionDeletes().withPath("s3://bucket/" + name).withFormat(format)
        .withFileSizeInBytes(1000L).withRecordCount(3L + n).withReferencedDataFile("s3://bucket/key " + n + "%20ü.parquet");
  }

  static OutputFile output(String directory, String name) {
    OutputFile file = Files.localOutput(directory + "/" + name);
    return new OutputFile() {
      public PositionOutputStream create() { return file.createOrOverwrite(); }
      public PositionOutputStream createOrOverwrite() { return file.createOrOverwrite(); }
      public String location() { return "s3://bucket/table/metadata/" + name; }
      public InputFile toInputFile() { return file.toInputFile(); }
    };
  }

  public static void main(String[] args) throws Exception {
    PartitionSpec.Builder builder = PartitionSpec.builderFor(SCHEMA).withSpecId(5);
    for (Types.NestedField column : SCHEMA.columns()) if (column.fieldId() < 18) builder.identity(column.name());
    PartitionSpec partitioned = builder.identity("nest.x").day("ts").bucket("id", 16).truncate("bin", 4, "t/x").alwaysNull("tz", "gone").build();
    Object[] values = {1L << 40, true, -7, 1.5f, -2.25d, new BigDecimal("-6.59"), 19000, 123456789L, 1754856293080758L, -1L, "eu/ü",
        UUID.fromString("f79c3e09-677c-4bbd-a479-3f349cb785e7"), ByteBuffer.wrap(new byte[] {(byte) 255, 0}), "q", new BigDecimal("1.28"),
        new BigDecimal("-12345678901234567890.0000000001"), 9L, 20310, 3, ByteBuffer.wrap(new byte[] {1, 2}), null};
    PartitionData first = new PartitionData(partitioned.partitionType());
    for (int i = 0; i < values.length; i++) first.set(i, values[i]);
    PartitionData nulls = new PartitionData(partitioned.partitionType());

    ManifestWriter<DeleteFile> vectors = ManifestFiles.writeDeleteManifest(3, PartitionSpec.unpartitioned(), output(args[0], "v3-vectors-manifest.avro"), 8103159149723679872L);
    try (vectors) {
      for (int n = 0; n < 2; n++) vectors.add(deletes("a.puffin", FileFormat.PUFFIN, n).withContentOffset(4L + 40 * n).withContentSizeInBytes(40 + n).build());
      vectors.add(deletes("1-deletes.parquet", FileFormat.PARQUET, 1).build());
    }

    for (int version = 1; version <= 3; version++) {
      for (PartitionSpec spec : List.of(PartitionSpec.builderFor(SCHEMA).build(), partitioned)) {
        String prefix = "v" + version + (spec.isPartitioned() ? "-partitioned" : "-unpartitioned");
        ManifestWriter<DataFile> manifest = ManifestFiles.write(version, spec, output(args[0], prefix + "-manifest.avro"), 8103159149723679872L);
        try (manifest) {
          manifest.add(dataFile(spec, first, 0));
          manifest.add(dataFile(spec, nulls, 1));
        }
        ManifestListWriter list = ManifestLists.write(version, output(args[0], prefix + "-manifest-list.avro"), 8103159149723679872L,
            spec.isPartitioned() ? 77L : null, version == 1 ? 0L : 4L, version == 3 ? 1000L : null);
        try (list) {
          list.add(manifest.toManifestFile());
        }
      }
    }
  }
}
