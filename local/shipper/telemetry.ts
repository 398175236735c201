import { type Dataset, epochDay, epochMicros } from './dataset.ts';
import { list, map, optional, required, schema, struct } from './schema-notation.ts';

const identity = [
  required(1, 'seq', 'long'),
  required(2, 'reading_id', 'uuid'),
  required(3, 'device', 'string'),
  optional(4, 'site', 'string'),
  required(5, 'measured_at', 'timestamptz'),
  optional(6, 'received_on', 'date'),
];
const condition = [
  optional(8, 'humidity', 'float'),
  optional(10, 'battery_volts', 'decimal(5,3)'),
  required(11, 'online', 'boolean'),
];
const detail = [
  optional(13, 'samples', list(22, 'double')),
  optional(14, 'tags', map(23, 'string', 24, 'string')),
  optional(15, 'frame', 'binary'),
  optional(
    16,
    'alarms',
    list(
      25,
      struct(
        required(26, 'code', 'int'),
        optional(27, 'raised_at', 'timestamptz'),
        optional(28, 'text', 'string'),
      ),
    ),
  ),
];
const version = optional(20, 'version', 'string');
const build = optional(21, 'build', 'int');

/** Machine readings. The second version promotes `pulses`, renames `temp` and adds a column and a field inside `firmware`. */
export const telemetry: Dataset = {
  name: 'telemetry',
  segments: 20,
  rowsPerSegment: 2000,
  versions: [
    schema(
      ...identity,
      optional(7, 'temp', 'double'),
      ...condition,
      optional(9, 'pulses', 'int'),
      optional(12, 'firmware', struct(version, build)),
      ...detail,
    ),
    schema(
      ...identity,
      optional(7, 'temperature', 'double'),
      ...condition,
      optional(9, 'pulses', 'long'),
      optional(12, 'firmware', struct(version, build, optional(30, 'channel', 'string'))),
      ...detail,
      optional(31, 'signal_dbm', 'int'),
    ),
  ],
  row: (dice, seq, versionIndex) => {
    const measuredAt = epochMicros + seq * 250_000n + BigInt(dice.integer(0, 199_999));
    return {
      seq,
      reading_id: dice.uuid(),
      device: `press-${dice.integer(1, 240).toString().padStart(4, '0')}`,
      site: dice.chance(0.02) ? null : dice.pick(['Århus', 'Białystok', 'Lyon', '名古屋']),
      measured_at: measuredAt,
      received_on: epochDay + Number((measuredAt - epochMicros) / 86_400_000_000n),
      temperature: dice.chance(0.03) ? null : dice.integer(-2560, 7680) / 64,
      humidity: dice.chance(0.03) ? null : dice.integer(0, 400) / 4,
      battery_volts: dice.chance(0.1) ? null : BigInt(dice.integer(2700, 4200)),
      online: dice.chance(0.97),
      pulses: versionIndex === 0 ? dice.integer(0, 2 ** 31 - 1) : dice.integer(0, 2 ** 40),
      firmware: dice.chance(0.05)
        ? null
        : {
            version: `${dice.integer(1, 4)}.${dice.integer(0, 12)}`,
            build: dice.chance(0.2) ? null : dice.integer(1000, 9999),
            channel: dice.pick(['stable', 'beta']),
          },
      samples: Array.from({ length: dice.integer(0, 6) }, () =>
        dice.chance(0.05) ? null : dice.integer(-1024, 1024) / 64,
      ),
      tags: new Map([
        ['line', dice.pick(['A', 'B', 'C'])],
        ['shift', dice.chance(0.1) ? null : dice.pick(['early', 'late'])],
      ]),
      frame: dice.chance(0.5) ? null : dice.bytes(dice.integer(0, 12)),
      alarms: Array.from({ length: dice.chance(0.1) ? dice.integer(1, 3) : 0 }, () => ({
        code: dice.integer(100, 999),
        raised_at: measuredAt - BigInt(dice.integer(0, 5_000_000)),
        text: dice.chance(0.3) ? null : dice.pick(['over temperature', 'door, open', 'Öldruck']),
      })),
      signal_dbm: dice.integer(-110, -40),
    };
  },
};
