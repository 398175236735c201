import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;

/**
 * java -cp 'JARS/*' FlinkSink.java FOLDER: what Flink's filesystem connector writes as Parquet. Run with Flink 1.20.3 and flink-parquet 1.20.1;
 * the file that lies under a FileSink's name was renamed.
 */
public class FlinkSink {
  public static void main(String[] arguments) throws Exception {
    var environment = TableEnvironment.create(EnvironmentSettings.newInstance().inBatchMode().build());
    environment.getConfig().set("table.local-time-zone", "UTC");
    for (var table : new String[] {"orders", "orders_int96", "orders_by_day"}) {
      var micros = table.equals("orders_int96") ? "" : ", 'parquet.write.int64.timestamp' = 'true'";
      var partitioned = table.equals("orders_by_day") ? " PARTITIONED BY (`day`)" : "";
      var success = partitioned.isEmpty() ? "" : ", 'sink.partition-commit.policy.kind' = 'success-file'";
      environment.executeSql(
          "CREATE TABLE " + table + " (id BIGINT, name STRING, price DECIMAL(9, 2), placed TIMESTAMP(6), `day` DATE)" + partitioned
              + " WITH ('connector' = 'filesystem', 'format' = 'parquet', 'sink.parallelism' = '1', 'path' = 'file://"
              + arguments[0] + "/" + table + "'" + micros + success + ")");
      environment.executeSql(
          "INSERT INTO " + table + " SELECT id, CONCAT('n', CAST(id AS STRING)), CAST(id * 1.5 AS DECIMAL(9, 2)), "
              + "TIMESTAMP '2026-01-01 10:00:00', CASE WHEN MOD(id, 2) = 0 THEN DATE '2026-01-01' ELSE DATE '2026-01-02' END "
              + "FROM (VALUES (CAST(0 AS BIGINT)), (1), (2), (3), (4), (5)) AS t(id)").await();
    }
    System.exit(0);
  }
}
