/**
 * Forty answers of 2 MiB, of which the last is kept, as a warm function has them: prints the most that lay outside of V8's heap after one,
 * in MiB. `node large-answers.ts ORIGIN`
 */
import { setImmediate } from 'node:timers/promises';
import { type HttpExchange, httpSender } from '../../lib/drivers/http.ts';

const [, , origin = ''] = process.argv;
const send = httpSender();
let kept: HttpExchange | undefined;
let most = 0;
for (let round = 0; round < 40; round += 1) {
  kept = await send({ method: 'GET', origin, path: '/', headers: {} });
  // What the next request waits for.
  for (let turn = 0; turn < 4; turn += 1) await setImmediate();
  most = Math.max(most, process.memoryUsage().arrayBuffers / 2 ** 20);
}
console.log(JSON.stringify({ kind: kept?.kind, most }));
process.exit(0);
