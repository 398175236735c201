import { type Dataset, epochMicros } from './dataset.ts';
import { list, map, optional, required, schema, struct } from './schema-notation.ts';

/** What visitors of a web site did. */
export const events: Dataset = {
  name: 'events',
  segments: 14,
  rowsPerSegment: 2500,
  versions: [
    schema(
      required(1, 'seq', 'long'),
      required(2, 'event_id', 'uuid'),
      required(3, 'name', 'string'),
      required(4, 'occurred_at', 'timestamptz'),
      optional(5, 'local_time', 'timestamp'),
      optional(6, 'user_id', 'long'),
      required(7, 'url', 'string'),
      optional(8, 'referrer', 'string'),
      optional(9, 'user_agent', 'string'),
      optional(10, 'duration_ms', 'int'),
      optional(11, 'revenue', 'decimal(18,4)'),
      required(12, 'is_bot', 'boolean'),
      optional(13, 'properties', map(20, 'string', 21, 'string')),
      optional(14, 'experiments', list(22, 'string')),
      optional(
        15,
        'geo',
        struct(
          optional(23, 'country', 'string'),
          optional(24, 'lat', 'double'),
          optional(25, 'lon', 'double'),
        ),
      ),
      optional(
        16,
        'clicks',
        list(
          26,
          struct(required(27, 'x', 'int'), required(28, 'y', 'int'), optional(29, 'target', 'string')),
        ),
      ),
      optional(17, 'session_token', 'fixed[8]'),
    ),
  ],
  row: (dice, seq) => {
    const occurredAt = epochMicros + seq * 40_000n + BigInt(dice.integer(0, 39_999));
    return {
      seq,
      event_id: dice.uuid(),
      name: dice.pick(['page_view', 'click', 'scroll', 'purchase', 'sign_up']),
      occurred_at: occurredAt,
      local_time: dice.chance(0.05) ? null : occurredAt + BigInt(dice.integer(-12, 14)) * 3_600_000_000n,
      user_id: dice.chance(0.4) ? null : 9_007_199_254_740_993n + BigInt(dice.integer(0, 99_999)),
      url: `https://shop.example/${dice.pick(['', 'cart', 'p/1?q=a&r=b', 'søk/blå'])}#${dice.integer(1, 999)}`,
      referrer: dice.chance(0.6) ? null : dice.pick(['https://news.example/', 'https://搜索.example/']),
      user_agent: dice.pick(['Mozilla/5.0 (X11; Linux x86_64)', 'Mozilla/5.0 (iPhone)', 'curl/8.11', '']),
      duration_ms: dice.chance(0.1) ? null : dice.integer(0, 600_000),
      revenue: dice.chance(0.9) ? null : BigInt(dice.integer(-5_000_000, 90_000_000)),
      is_bot: dice.chance(0.08),
      properties: new Map(
        ['plan', 'theme', 'søk', 'coupon']
          .filter(() => dice.chance(0.5))
          .map((key) => [key, dice.chance(0.1) ? null : `${key}-${dice.integer(1, 20)}`]),
      ),
      experiments: Array.from({ length: dice.integer(0, 3) }, () =>
        dice.chance(0.05) ? null : `exp-${dice.integer(1, 30)}`,
      ),
      geo: dice.chance(0.1)
        ? null
        : {
            country: dice.pick(['DK', 'PL', 'FR', 'JP']),
            lat: dice.integer(-5760, 5760) / 64,
            lon: dice.chance(0.1) ? null : dice.integer(-11520, 11520) / 64,
          },
      clicks: Array.from({ length: dice.chance(0.2) ? dice.integer(1, 4) : 0 }, () => ({
        x: dice.integer(0, 3840),
        y: dice.integer(0, 2160),
        target: dice.chance(0.2) ? null : dice.pick(['#buy', 'nav > a', 'img']),
      })),
      session_token: dice.chance(0.4) ? null : dice.bytes(8),
    };
  },
};
