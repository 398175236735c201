import type { QuarantineRecord } from '../../lib/ports.ts';
import { parseJson } from '../../lib/spec/json.ts';
import { QUARANTINE_URL } from './lake.ts';
import type { SimStore } from './store.ts';

export interface Quarantined {
  readonly uri: string;
  readonly record: QuarantineRecord;
}

/** The quarantine in the store. Records never change, so each is read once. */
export interface QuarantineLog {
  records(): readonly Quarantined[];
  ofSegment(uri: string): readonly QuarantineRecord[];
  /** Failures of a segment that nobody has redriven or discarded yet. */
  waiting(uri: string): readonly QuarantineRecord[];
}

export function quarantineLog(store: SimStore): QuarantineLog {
  const parsed = new Map<string, Quarantined>();
  let all: readonly Quarantined[] = [];
  let looked = 0;

  function records(): readonly Quarantined[] {
    if (looked === store.written.length) return all;
    for (; looked < store.written.length; looked += 1) {
      const uri = store.written[looked] ?? '';
      const object = uri.startsWith(`${QUARANTINE_URL}/`) ? store.objects.get(uri) : undefined;
      if (object === undefined) continue;
      const record = parseJson(Buffer.from(object.bytes).toString()) as QuarantineRecord;
      parsed.set(uri, { uri, record });
    }
    all = [...parsed.values()];
    return all;
  }

  return {
    records,
    ofSegment: (uri) => records().flatMap(({ record }) => (record.segment?.uri === uri ? [record] : [])),
    waiting(uri) {
      const all = records();
      const answered = new Set(all.map(({ record }) => record.answers));
      return all.flatMap((one) => {
        const { record } = one;
        return record.kind === 'failure' && record.segment?.uri === uri && !answered.has(one.uri)
          ? [record]
          : [];
      });
    },
  };
}
