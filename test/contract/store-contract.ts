import { expect } from 'vitest';
import type { ListedObject, Store, StoredObject } from '../../lib/ports.ts';
import { type ContractCase, contract, type Exceptions, type Made } from './contract.ts';

/** A store, and a URI below which nothing lies yet: `s3://bucket/run-7`. */
export interface StoreSubject {
  readonly store: Store;
  readonly root: string;
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function readObject(
  { store }: StoreSubject,
  uri: string,
  options?: Parameters<Store['read']>[1],
): Promise<StoredObject> {
  const result = await store.read(uri, options);
  if (result.kind !== 'object') throw new Error(`Expected an object at "${uri}", found "${result.kind}"`);
  return result;
}

async function written({ store }: StoreSubject, uri: string, content: string | Uint8Array): Promise<string> {
  const result = await store.write(uri, typeof content === 'string' ? text(content) : content);
  if (result.kind !== 'written') throw new Error(`Expected "${uri}" to be written, found "${result.kind}"`);
  return result.version;
}

async function listed(
  { store }: StoreSubject,
  prefix: string,
  options?: Parameters<Store['list']>[1],
): Promise<ListedObject[]> {
  return await Array.fromAsync(store.list(prefix, options));
}

/** Keys that are easily decoded, encoded or normalised by mistake. */
const rawKeys: readonly string[] = [
  'plain.parquet',
  'a b/c  d.parquet',
  'a+b=c&d.parquet',
  '100%/50%25/%2F.parquet',
  'dt=2024-01-01 03%3A00/x.parquet',
  'ü/日本/🧊.parquet',
  'e\u0301-decomposed.parquet',
  'quotes\'"`.parquet',
  '!$*(),;:@~[]{}|^.parquet',
  'question?hash#.parquet',
  'less<more>&amp;.parquet',
  'double//slash///x.parquet',
  'back\\slash.parquet',
  'dots/./x/../y.parquet',
  'white\t\r\n space .parquet ',
  'folder/',
];

export const storeCases: readonly ContractCase<StoreSubject>[] = [
  {
    title: 'read answers bytes, size, version and time of an object',
    async run(subject) {
      const uri = `${subject.root}/whole`;
      const before = Date.now();
      const version = await written(subject, uri, '0123456789');
      const object = await readObject(subject, uri);
      expect(object.bytes).toStrictEqual(text('0123456789'));
      expect(object.sizeBytes).toBe(10);
      expect(object.version).toBe(version);
      expect(version).not.toMatch(/"/);
      expect(Math.abs(object.lastModifiedMs - before)).toBeLessThan(600_000);
    },
  },
  {
    title: 'read of a range answers it and the size of the whole object',
    async run(subject) {
      const uri = `${subject.root}/range`;
      await written(subject, uri, '0123456789');
      const read = async (range: { suffix: number } | { start: number; end: number }) => {
        const { bytes, sizeBytes } = await readObject(subject, uri, { range });
        return `${new TextDecoder().decode(bytes)} of ${sizeBytes}`;
      };
      expect(await read({ suffix: 4 })).toBe('6789 of 10');
      expect(await read({ suffix: 10 })).toBe('0123456789 of 10');
      expect(await read({ start: 0, end: 1 })).toBe('0 of 10');
      expect(await read({ start: 3, end: 6 })).toBe('345 of 10');
      expect(await read({ start: 8, end: 99 })).toBe('89 of 10');
    },
  },
  {
    title: 'read of a suffix longer than the object answers the whole object',
    async run(subject) {
      const uri = `${subject.root}/short`;
      const version = await written(subject, uri, 'abc');
      const { bytes, sizeBytes } = await readObject(subject, uri, { range: { suffix: 65_536 } });
      expect(new TextDecoder().decode(bytes)).toBe('abc');
      expect(sizeBytes).toBe(3);
      const conditional = { range: { suffix: 65_536 }, ifVersion: version };
      expect((await readObject(subject, uri, conditional)).sizeBytes).toBe(3);
    },
  },
  {
    title: 'read of an empty object answers no bytes, whatever the range',
    async run(subject) {
      const uri = `${subject.root}/empty`;
      const version = await written(subject, uri, '');
      for (const range of [undefined, { suffix: 8 }, { start: 0, end: 8 }]) {
        const object = await readObject(subject, uri, range === undefined ? {} : { range });
        expect(object).toMatchObject({ sizeBytes: 0, version });
        expect(object.bytes.length).toBe(0);
      }
    },
  },
  {
    title: 'read with the version that the key holds answers the object, with another one that it changed',
    async run(subject) {
      const uri = `${subject.root}/versions`;
      const first = await written(subject, uri, 'first');
      expect((await readObject(subject, uri, { ifVersion: first })).version).toBe(first);
      const second = await written(subject, uri, 'second');
      expect(second).not.toBe(first);
      expect(await subject.store.read(uri, { ifVersion: first })).toStrictEqual({ kind: 'changed' });
      expect(await subject.store.read(uri, { ifVersion: first, range: { suffix: 4 } })).toStrictEqual({
        kind: 'changed',
      });
      expect((await readObject(subject, uri, { ifVersion: second })).sizeBytes).toBe(6);
    },
  },
  {
    title: 'read of a key that holds nothing answers that it is missing',
    async run({ store, root }) {
      expect(await store.read(`${root}/nothing`)).toStrictEqual({ kind: 'missing' });
      expect(await store.read(`${root}/nothing`, { range: { suffix: 8 } })).toStrictEqual({
        kind: 'missing',
      });
    },
  },
  {
    title: 'read takes s3a:// and s3n:// for s3:// (D15)',
    async run(subject) {
      await written(subject, `${subject.root}/scheme`, 'x');
      for (const scheme of ['s3a', 's3n']) {
        const { sizeBytes } = await readObject(subject, `${subject.root.replace(/^s3/, scheme)}/scheme`);
        expect(sizeBytes).toBe(1);
      }
    },
  },
  {
    title: 'write replaces what the key holds',
    async run(subject) {
      const uri = `${subject.root}/replaced`;
      await written(subject, uri, 'first');
      await written(subject, uri, 'second');
      expect(new TextDecoder().decode((await readObject(subject, uri)).bytes)).toBe('second');
    },
  },
  {
    title: 'write with ifAbsent never replaces (I1)',
    async run(subject) {
      const uri = `${subject.root}/absent`;
      const first = await subject.store.write(uri, text('first'), { ifAbsent: true });
      expect(first.kind).toBe('written');
      expect(await subject.store.write(uri, text('second'), { ifAbsent: true })).toStrictEqual({
        kind: 'exists',
      });
      expect(new TextDecoder().decode((await readObject(subject, uri)).bytes)).toBe('first');
    },
  },
  {
    title: 'write with ifAbsent has one winner among 20 racers (I1)',
    async run(subject) {
      const uri = `${subject.root}/raced`;
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, racer) =>
          subject.store.write(uri, text(`racer ${racer}`), { ifAbsent: true }),
        ),
      );
      const winners = results.flatMap(({ kind }, racer) => (kind === 'written' ? [racer] : []));
      expect(winners).toHaveLength(1);
      expect(new TextDecoder().decode((await readObject(subject, uri)).bytes)).toBe(`racer ${winners[0]}`);
    },
  },
  {
    title: 'write keeps megabytes of any bytes',
    async run(subject) {
      const uri = `${subject.root}/large`;
      const bytes = Uint8Array.from({ length: 12 << 20 }, (_, at) => (at * 31 + (at >> 8)) & 255);
      await written(subject, uri, bytes);
      const object = await readObject(subject, uri);
      expect(Buffer.compare(object.bytes, bytes)).toBe(0);
      const tail = await readObject(subject, uri, { range: { suffix: 8 }, ifVersion: object.version });
      expect(Buffer.compare(tail.bytes, bytes.subarray(-8))).toBe(0);
    },
  },
  ...rawKeys.map((key) => ({
    title: `key ${JSON.stringify(key)} is written, read and listed as it is (D20)`,
    async run(subject: StoreSubject) {
      const uri = `${subject.root}/raw/${key}`;
      await written(subject, uri, key);
      expect(new TextDecoder().decode((await readObject(subject, uri)).bytes)).toBe(key);
      expect((await listed(subject, uri)).map((object) => object.uri)).toStrictEqual([uri]);
      expect((await listed(subject, `${subject.root}/raw/`)).map((object) => object.uri)).toContain(uri);
    },
  })),
  {
    title: 'list answers every object below a prefix with size, version and time',
    async run(subject) {
      const version = await written(subject, `${subject.root}/list/a`, 'aa');
      await written(subject, `${subject.root}/list-other`, 'b');
      const [object, ...others] = await listed(subject, `${subject.root}/list/`);
      expect(object).toMatchObject({ uri: `${subject.root}/list/a`, sizeBytes: 2, version });
      expect(Math.abs((object?.lastModifiedMs ?? 0) - Date.now())).toBeLessThan(600_000);
      expect(others).toStrictEqual([]);
      expect(await listed(subject, `${subject.root}/list-nothing/`)).toStrictEqual([]);
    },
  },
  {
    title: 'list cuts a name at any character, and goes in the order of the bytes of the keys',
    async run(subject) {
      const names = ['a', 'a-', 'a/b', 'aB', 'ab', 'aé', 'a\uffee', 'a🧊'];
      await Promise.all(names.map((name) => written(subject, `${subject.root}/order/${name}`, name)));
      const found = await listed(subject, `${subject.root}/order/a`);
      expect(found.map(({ uri }) => uri)).toStrictEqual(names.map((name) => `${subject.root}/order/${name}`));
    },
  },
  {
    title: 'list goes on after a URI, and over pages of 1,000',
    async run(subject) {
      const name = (index: number): string => `${subject.root}/pages/${String(index).padStart(4, '0')}`;
      for (let from = 0; from < 1_100; from += 50) {
        await Promise.all(
          Array.from({ length: 50 }, (_, index) => written(subject, name(from + index), 'x')),
        );
      }
      const all = await listed(subject, `${subject.root}/pages/`);
      expect(all.map(({ uri }) => uri)).toStrictEqual(
        Array.from({ length: 1_100 }, (_, index) => name(index)),
      );
      const rest = await listed(subject, `${subject.root}/pages/`, { startAfter: name(50) });
      expect(rest).toHaveLength(1_049);
      expect(rest[0]?.uri).toBe(name(51));
    },
  },
];

/** Holds a store to the port (`lib/ports.ts`). */
export function storeContract(
  name: string,
  make: () => Promise<Made<StoreSubject>>,
  except?: Exceptions,
): void {
  contract(name, storeCases, make, { except });
}
