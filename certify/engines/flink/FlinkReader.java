import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/** Flink's SQL in this process: a statement a line of JSON in, {answer: rows} or {error} a line out. Argument: how the catalog is made. */
public class FlinkReader {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder().appendPattern("HH:mm:ss").appendFraction(ChronoField.NANO_OF_SECOND, 6, 9, true).toFormatter();

  public static void main(String[] arguments) throws Exception {
    var answers = System.out;
    System.setOut(System.err);
    // Iceberg's pools of threads outlive a query, and a guard of class loaders would end the next one.
    var settings = new Configuration();
    settings.setString("classloader.check-leaked-classloader", "false");
    var environment =
        TableEnvironment.create(EnvironmentSettings.newInstance().inBatchMode().withConfiguration(settings).build());
    environment.getConfig().setLocalTimeZone(ZoneId.of("UTC"));
    environment.getConfig().set("parallelism.default", "1");
    environment.executeSql(arguments[0]);
    var lines = new java.io.BufferedReader(new java.io.InputStreamReader(System.in, java.nio.charset.StandardCharsets.UTF_8));
    for (String line; (line = lines.readLine()) != null; ) {
      Map<String, Object> reply = new LinkedHashMap<>();
      try {
        reply.put("answer", rows(environment.executeSql(JSON.readValue(line, String.class))));
      } catch (Throwable error) {
        Throwable cause = error;
        while (cause.getCause() != null) cause = cause.getCause();
        reply.put("error", cause.getClass().getSimpleName() + ": " + cause.getMessage());
      }
      answers.write((JSON.writeValueAsString(reply) + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
      answers.flush();
    }
    System.exit(0);
  }

  private static List<Object> rows(TableResult result) throws Exception {
    List<String> names = result.getResolvedSchema().getColumnNames();
    List<Object> rows = new ArrayList<>();
    try (CloseableIterator<Row> iterator = result.collect()) {
      while (iterator.hasNext()) {
        Row row = iterator.next();
        Map<String, Object> named = new LinkedHashMap<>();
        for (int index = 0; index < names.size(); index += 1) named.put(names.get(index), spelled(row.getField(index)));
        rows.add(named);
      }
    }
    return rows;
  }

  /** As test/integration/readers/connection.py spells values. */
  private static Object spelled(Object value) {
    if (value == null || value instanceof Boolean || value instanceof String) return value;
    if (value instanceof Integer || value instanceof Long) return value.toString();
    if (value instanceof Float || value instanceof Double) {
      double number = ((Number) value).doubleValue();
      boolean isSpecial = Double.isNaN(number) || Double.isInfinite(number);
      return isSpecial ? (Object) String.valueOf(number) : number == 0 && 1 / number < 0 ? (Object) "-0" : value;
    }
    if (value instanceof java.math.BigDecimal decimal) return decimal.toPlainString();
    if (value instanceof LocalDate) return value.toString();
    if (value instanceof LocalTime time) return time.format(TIME);
    if (value instanceof LocalDateTime moment) return moment.toLocalDate() + "T" + moment.toLocalTime().format(TIME);
    if (value instanceof Instant instant) return spelled(LocalDateTime.ofInstant(instant, ZoneOffset.UTC)) + "+00:00";
    if (value instanceof byte[] bytes) return HexFormat.of().formatHex(bytes);
    List<Object> members = new ArrayList<>();
    if (value instanceof Row row) {
      for (int index = 0; index < row.getArity(); index += 1) members.add(spelled(row.getField(index)));
    } else if (value instanceof Map<?, ?> map) {
      map.forEach((key, member) -> {
        List<Object> pair = new ArrayList<>();
        pair.add(spelled(key));
        pair.add(spelled(member));
        members.add(pair);
      });
    } else if (value.getClass().isArray()) {
      for (int index = 0; index < java.lang.reflect.Array.getLength(value); index += 1) members.add(spelled(java.lang.reflect.Array.get(value, index)));
    } else {
      throw new IllegalArgumentException("no canonical form for " + value.getClass());
    }
    return members;
  }
}
