import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, expect, test } from 'vitest';
import { type Registration, startRegistration } from '../registration.ts';

let registration: Registration;
afterEach(() => registration.close());

/** A file of one column, as a writer of unsigned integers lays it down. */
function file(converted_type: 'UINT_32' | 'INT_32', value: number): Uint8Array {
  return new Uint8Array(
    parquetWriteBuffer({
      schema: [
        { name: 'table', num_children: 1 },
        { name: 'flags', type: 'INT32', converted_type, repetition_type: 'OPTIONAL', field_id: 1 },
      ],
      columnData: [{ name: 'flags', data: [value] }],
    }),
  );
}

test('a commit says which of its columns are not what every engine reads, and is made', async () => {
  registration = await startRegistration();
  const warning = async (key: string, bytes: Uint8Array) => {
    const uploaded = registration.upload(`thadam/v1/plant/${key}`, bytes);
    expect(await registration.deliver([uploaded])).toEqual({ batchItemFailures: [] });
    return registration.log.findLast(({ event }) => event === 'committed')?.['warning'];
  };
  expect(await warning('orders/1.parquet', file('UINT_32', 2 ** 32 - 1))).toMatch(/^UINT_32 in "flags": /);
  expect(await warning('counts/1.parquet', file('INT_32', 7))).toBeUndefined();
});
