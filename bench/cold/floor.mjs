// The minimum of a first commit in a new process: `node floor.mjs CATALOG STORE`, with the phases on standard input. The requests of a
// phase are sent in parallel, those of one chain one after the other. Their bytes and signatures are prepared in advance.
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';

const [, , catalog, store] = process.argv;
const pools = { catalog: new Pool(catalog), store: new Pool(store) };
for (const phase of JSON.parse(await text(process.stdin))) await Promise.all(phase.map(sendInTurn));
process.stdout.write('\ndone\n', () => process.exit(0));

async function sendInTurn(chain) {
  for (const { to, method, path, headers, body } of chain) {
    const bytes = body === undefined ? null : Buffer.from(body, 'base64');
    const answer = await pools[to].request({ method, path, headers, body: bytes });
    await answer.body.bytes();
    if (answer.statusCode >= 300)
      throw new Error(`${method} "${path}" was answered with ${answer.statusCode}`);
  }
}
