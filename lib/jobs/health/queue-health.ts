import type { Entry } from '../../config/entry.ts';
import type { QueueWatch } from '../../ports/setup.ts';
import { atMost, type Check } from './check.ts';
import { problemText } from './problem-text.ts';

export type QueueRole = 'arrivals' | 'arrivals-dlq' | 'registrations' | 'registrations-dlq';

/** What is waiting in one queue. */
export interface QueueHealth {
  readonly queue: QueueRole;
  readonly url: string;
  /** Including those in flight, where failed messages wait for their next try. Undefined if it could not be determined. */
  readonly messages?: number;
  /** Age of the oldest message; undefined if only the count is known. */
  readonly oldestMs?: number;
  readonly checks: readonly Check[];
  /** The table whose snapshots will expire before the oldest message may be registered. */
  readonly shortOf?: TableHistory;
  readonly problem?: string;
}

/** How far back a table can prove that a segment is not in it. */
export interface TableHistory {
  readonly table: string;
  readonly historyMs: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Limits on how long messages wait and how many there are. Those of arrivals' age and the depth of registrations are alarms too (`infra/alarms.ts`). */
const MOST = {
  arrivalsMs: 15 * MINUTE_MS,
  registrationsMs: 60 * MINUTE_MS,
  registrations: 50_000,
  /** Half of the retention, after which SQS deletes the message. */
  deadMs: 7 * DAY_MS,
};

/**
 * Examines the configured queues and their dead-letter queues. A queue that cannot be examined is part of the answer.
 *
 * @param historiesOf the tables of an entry
 */
export async function queuesHealth(
  entries: readonly Entry[],
  historiesOf: (entry: Entry) => readonly TableHistory[],
  watch: QueueWatch,
): Promise<readonly QueueHealth[]> {
  const counted = await Promise.all(
    namedQueues(entries).map(async (named) => countWithDeadLetters(named, watch)),
  );
  const found = counted.flat();
  const urls = found.flatMap(({ url, messages = 0 }) => (messages > 0 ? [url] : []));
  const ages = await agesOf(urls, watch);
  return found.map((one) => {
    const { queue, url, messages, problem = urls.includes(url) ? ages.problem : undefined } = one;
    const oldestMs = ages.of.get(url);
    const shortest = entries
      .filter(({ queues }) => Object.values(queues).includes(one.source))
      .flatMap(historiesOf)
      .toSorted((a, b) => a.historyMs - b.historyMs)[0];
    const checks = checksOf(queue, messages, oldestMs, shortest);
    const isShort = checks.some(({ measure, ok }) => measure === AGAINST_HISTORY && !ok);
    return {
      queue,
      url,
      checks,
      ...(messages !== undefined && { messages }),
      ...(oldestMs !== undefined && { oldestMs }),
      ...(isShort && shortest !== undefined && { shortOf: shortest }),
      ...(problem !== undefined && { problem }),
    };
  });
}

interface NamedQueue {
  readonly queue: 'arrivals' | 'registrations';
  readonly url: string;
}

interface CountedQueue {
  readonly queue: QueueRole;
  readonly url: string;
  /** The configured queue. */
  readonly source: string;
  readonly messages?: number;
  readonly problem?: string;
}

/** Every configured queue once. Pub/Sub's topics and subscriptions are monitored by Google. */
function namedQueues(entries: readonly Entry[]): readonly NamedQueue[] {
  const named = entries.flatMap(({ queues: { arrivals, registrations } }): NamedQueue[] => [
    ...(arrivals === undefined ? [] : [{ queue: 'arrivals' as const, url: arrivals }]),
    ...(registrations === undefined ? [] : [{ queue: 'registrations' as const, url: registrations }]),
  ]);
  const byUrl = new Map(named.map((one) => [one.url, one]));
  return [...byUrl.values()].filter(({ url }) => URL.canParse(url));
}

async function countWithDeadLetters(
  { queue, url }: NamedQueue,
  watch: QueueWatch,
): Promise<readonly CountedQueue[]> {
  const source = url;
  try {
    const { messages, deadLetterUrl } = await watch.count(url);
    const own = { queue, url, source, messages };
    if (deadLetterUrl === undefined) return [own];
    const dead = { queue: `${queue}-dlq` as const, url: deadLetterUrl, source };
    try {
      return [own, { ...dead, messages: (await watch.count(deadLetterUrl)).messages }];
    } catch (error) {
      return [own, { ...dead, problem: problemText(error) }];
    }
  } catch (error) {
    return [{ queue, url, source, problem: problemText(error) }];
  }
}

async function agesOf(
  urls: readonly string[],
  watch: QueueWatch,
): Promise<{ readonly of: ReadonlyMap<string, number>; readonly problem?: string }> {
  try {
    return { of: urls.length === 0 ? new Map() : await watch.ages(urls) };
  } catch (error) {
    return { of: new Map(), problem: problemText(error) };
  }
}

const AGAINST_HISTORY = 'oldest message against provable history';

function checksOf(
  queue: QueueRole,
  messages: number | undefined,
  oldestMs: number | undefined,
  shortest: TableHistory | undefined,
): readonly Check[] {
  if (messages === undefined) return [];
  const anchor = (name: string) => `docs/operating.md#${name}`;
  const oldest = (most: number, advice: string) =>
    oldestMs === undefined ? [] : [atMost('oldest message', oldestMs, most, 'ms', advice)];
  const history =
    oldestMs === undefined || shortest === undefined
      ? []
      : [
          atMost(
            AGAINST_HISTORY,
            oldestMs,
            shortest.historyMs / 2,
            'ms',
            `${anchor('history-short')}: soon it cannot be proven what is missing from "${shortest.table}"; clear the backlog, or keep snapshots longer (history.expire.max-snapshot-age-ms)`,
          ),
        ];
  switch (queue) {
    case 'arrivals':
      return [
        ...oldest(MOST.arrivalsMs, `${anchor('arrivals-waiting')}: is route throttled, or does it fail?`),
        ...history,
      ];
    case 'registrations':
      return [
        atMost(
          'messages',
          messages,
          MOST.registrations,
          'count',
          `${anchor('registrations-deep')}: find the table that fails, or raise concurrency.register`,
        ),
        ...oldest(
          MOST.registrationsMs,
          `${anchor('registrations-waiting')}: which table fails (table-failed in the log), or is register throttled?`,
        ),
        ...history,
      ];
    default:
      return [
        atMost(
          'messages',
          messages,
          0,
          'count',
          `${anchor(queue === 'arrivals-dlq' ? 'arrivals-dead' : 'registrations-dead')}: fix the cause, then redrive the queue`,
        ),
        ...oldest(MOST.deadMs, 'redrive the queue: SQS deletes what has waited 14 days'),
        ...history,
      ];
  }
}
