import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.transforms.Transforms;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** Wrote transforms.tsv beside it with iceberg-open-api 1.10.1: type, transform, source bytes, result bytes, the result in a path. */
public class WriteTransforms {
  static final List<String> ALL = List.of("identity", "year", "month", "day", "hour", "bucket[16]", "bucket[1000]", "truncate[3]", "truncate[10]");
  static final Map<Type, List<Object>> VALUES = new java.util.LinkedHashMap<>();

  public static void main(String[] args) {
    List<Object> micros = List.of(0L, -1L, 1L, 1754856293080758L, -62135596800000001L, 253402300800000000L, 951782400000000L, 951868799999999L, 1510871468000001L);
    VALUES.put(Types.BooleanType.get(), List.of(true, false));
    VALUES.put(Types.IntegerType.get(), List.of(0, -1, 1, 34, 10, -10, Integer.MAX_VALUE, Integer.MIN_VALUE + 10));
    VALUES.put(Types.LongType.get(), List.of(0L, -1L, 34L, -7L, Long.MAX_VALUE, Long.MIN_VALUE + 10, 9007199254740993L));
    VALUES.put(Types.DateType.get(), List.of(0, -1, 17486, -719162, 2932896, 11016, -25567));
    VALUES.put(Types.TimeType.get(), List.of(0L, 81068000000L));
    VALUES.put(Types.TimestampType.withoutZone(), micros);
    VALUES.put(Types.TimestampType.withZone(), micros);
    VALUES.put(Types.TimestampNanoType.withoutZone(), List.of(0L, -1L, 1754856293080758999L, 1510871468000001001L));
    VALUES.put(Types.TimestampNanoType.withZone(), List.of(-999L, -1001L, 1510871468000001001L));
    VALUES.put(Types.DecimalType.of(9, 2), List.of(new BigDecimal("14.20"), new BigDecimal("-6.59"), new BigDecimal("0.00"), new BigDecimal("-0.01"), new BigDecimal("1.28")));
    VALUES.put(Types.DecimalType.of(38, 0), List.of(new BigDecimal("12345678901234567890123456789"), new BigDecimal("-128")));
    VALUES.put(Types.StringType.get(), List.of("", "iceberg", "a/b c", "żółć!", "😀😀😀😀", "abc"));
    VALUES.put(Types.UUIDType.get(), List.of(UUID.fromString("f79c3e09-677c-4bbd-a479-3f349cb785e7")));
    VALUES.put(Types.BinaryType.get(), List.of(ByteBuffer.wrap(new byte[] {0, 1, 2, 3}), ByteBuffer.wrap(new byte[] {(byte) 255})));
    VALUES.forEach((type, values) -> ALL.forEach((name) -> values.forEach((value) -> write(type, name, value))));
  }

  static void write(Type type, String name, Object value) {
    Transform<Object, Object> transform = (Transform<Object, Object>) Transforms.fromString(name);
    if (!transform.canTransform(type)) return;
    Type resultType = transform.getResultType(type);
    Object result = transform.bind(type).apply(value);
    System.out.println(String.join("\t", type.toString(), name, hex(type, value), hex(resultType, result), transform.toHumanString(resultType, result)));
  }

  static String hex(Type type, Object value) {
    ByteBuffer buffer = Conversions.toByteBuffer(type, value).duplicate();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
