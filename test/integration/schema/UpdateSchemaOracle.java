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
 * Evolves schemas with Iceberg's own UpdateSchema. A line of input is {schema, steps, evolved, segments}; its line of output is
 * {schema: what UpdateSchema makes of schema and steps, unreadable: what CheckCompatibility says against reading each of
 * segments under evolved}.
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
      for (JsonNode step : request.get("steps")) {
        UpdateSchema update = table.updateSchema();
        for (JsonNode change : step) apply(update, change);
        update.commit();
      }
      ObjectNode answer = JSON.createObjectNode();
      answer.set("schema", JSON.readTree(SchemaParser.toJson(table.schema())));
      ArrayNode unreadable = answer.putArray("unreadable");
      Schema evolved = schema(request.get("evolved"));
      for (JsonNode segment : request.get("segments")) {
        CheckCompatibility.readCompatibilityErrors(evolved, schema(segment)).forEach(unreadable::add);
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
