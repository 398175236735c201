import { glue, s3Tables } from './aws.ts';
import type { Dialect } from './dialect.ts';
import { lakekeeper } from './lakekeeper.ts';
import { bigLake, r2, snowflake, unity } from './managed.ts';
import { nessie } from './nessie.ts';
import { polaris } from './polaris.ts';

/** Every catalog that does not run here. */
export const dialects: readonly Dialect[] = [
  polaris,
  lakekeeper,
  nessie,
  glue,
  s3Tables,
  unity,
  snowflake,
  r2,
  bigLake,
];
