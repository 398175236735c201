import { expect, test } from 'vitest';
import { traceHeadersOf } from '../../lib/event/trace-headers.ts';

test.each([
  [undefined, []],
  [null, []],
  [{ Records: 'none' }, []],
  [{ Records: [null, {}, { attributes: {} }, { attributes: { AWSTraceHeader: 7 } }] }, []],
  [
    { Records: [{ attributes: { AWSTraceHeader: 'a' } }, { attributes: { AWSTraceHeader: 'b' } }] },
    ['a', 'b'],
  ],
])('traceHeadersOf %j is %j', (event, headers) => {
  expect(traceHeadersOf(event)).toEqual(headers);
});
