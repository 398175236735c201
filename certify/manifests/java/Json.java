import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** Values as JSON: numbers as text, bytes as hexadecimal, Avro's int-keyed maps as objects. */
class Json {
  static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  static JsonNode of(Object value) {
    if (value == null) return NODES.nullNode();
    if (value instanceof Boolean flag) return NODES.booleanNode(flag);
    if (value instanceof ByteBuffer bytes) return NODES.textNode(hex(bytes));
    if (value instanceof byte[] bytes) return NODES.textNode(HexFormat.of().formatHex(bytes));
    if (value instanceof GenericFixed fixed) return NODES.textNode(HexFormat.of().formatHex(fixed.bytes()));
    if (value instanceof IndexedRecord record) return record(record);
    if (value instanceof List<?> list) return list(list);
    if (value instanceof Map<?, ?> map) {
      ObjectNode node = NODES.objectNode();
      new TreeMap<>(Map.copyOf(map)).forEach((key, each) -> node.set(key.toString(), of(each)));
      return node;
    }
    return NODES.textNode(value.toString());
  }

  private static JsonNode record(IndexedRecord record) {
    ObjectNode node = NODES.objectNode();
    for (var field : record.getSchema().getFields()) node.set(field.name(), of(record.get(field.pos())));
    return node;
  }

  private static JsonNode list(List<?> list) {
    ArrayNode node = NODES.arrayNode();
    ObjectNode map = NODES.objectNode();
    for (Object each : list) {
      if (each instanceof IndexedRecord pair && pair.getSchema().getName().matches("k\\d+_v\\d+")) {
        map.set(pair.get(0).toString(), of(pair.get(1)));
      } else {
        node.add(of(each));
      }
    }
    return map.isEmpty() ? node : map;
  }

  /** A row of Iceberg's, by the names of its type. */
  static JsonNode of(StructLike row, Types.StructType type) {
    ObjectNode node = NODES.objectNode();
    List<Types.NestedField> fields = type.fields();
    for (int at = 0; at < fields.size(); at++) {
      node.set(fields.get(at).name(), typed(row.get(at, Object.class), fields.get(at).type()));
    }
    return node;
  }

  private static JsonNode typed(Object value, Type type) {
    if (value instanceof StructLike row && type.isStructType()) return of(row, type.asStructType());
    if (value instanceof List<?> list && type.isListType()) {
      ArrayNode node = NODES.arrayNode();
      for (Object each : list) node.add(typed(each, type.asListType().elementType()));
      return node;
    }
    return of(value);
  }

  private static String hex(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    return HexFormat.of().formatHex(copy);
  }
}
