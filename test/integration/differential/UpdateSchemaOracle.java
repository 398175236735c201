import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.CheckCompatibility;
import org.apache.iceberg.types.Type;

/**
 * Evolves schemas with Iceberg's own UpdateSchema. A line of input is {schema, steps, tables, segments}: `tables` and
 * `segments` are the other implementation's table and its newest segment, first and after each step. Its line of output is
 * {schemas: what UpdateSchema has made, first and after each step, unreadable: what CheckCompatibility says against reading
 * a segment under its own or any later one of `tables`}.
 */
class UpdateSchemaOracle {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, "UTF-8");
    InMemoryCatalog catalog = new InMemoryCatalog();
    catalog.initialize("oracle", Map.of());
    catalog.createNamespace(Namespace.of("ns"));
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    TableIdentifier name = TableIdentifier.of("ns", "t");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonNode request = JSON.readTree(line);
      Table table = catalog.createTable(name, schema(request.get("schema")));
      ObjectNode answer = JSON.createObjectNode();
      ArrayNode schemas = answer.putArray("schemas");
      schemas.add(JSON.readTree(SchemaParser.toJson(table.schema())));
      for (JsonNode step : request.get("steps")) {
        UpdateSchema update = table.updateSchema();
        for (JsonNode change : step) apply(update, change);
        update.commit();
        schemas.add(JSON.readTree(SchemaParser.toJson(table.schema())));
      }
      ArrayNode unreadable = answer.putArray("unreadable");
      JsonNode segments = request.get("segments");
      JsonNode tables = request.get("tables");
      for (int at = 0; at < tables.size(); at++) {
        Schema evolved = schema(tables.get(at));
        for (int written = 0; written <= at; written++) {
          CheckCompatibility.readCompatibilityErrors(evolved, schema(segments.get(written))).forEach(unreadable::add);
        }
      }
      out.println(answer);
      catalog.dropTable(name, true);
    }
  }

  private static void apply(UpdateSchema update, JsonNode change) {
    String column = change.path("column").asText();
    switch (change.get("do").asText()) {
      case "add":
        String parent = change.path("parent").asText("");
        Type type = schema(change.get("schema")).columns().get(0).type();
        update.addColumn(parent.isEmpty() ? null : parent, column, type);
        break;
      case "rename":
        update.renameColumn(column, change.get("to").asText());
        break;
      case "promote":
        update.updateColumn(column, schema(change.get("schema")).columns().get(0).type().asPrimitiveType());
        break;
      case "relax":
        update.makeColumnOptional(column);
        break;
      default:
        throw new IllegalArgumentException(change.toString());
    }
  }

  private static Schema schema(JsonNode json) {
    return SchemaParser.fromJson(json.toString());
  }
}
