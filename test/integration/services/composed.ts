import type { Running } from './service.ts';

type Part = Pick<Running<unknown>, 'stop'>;

/** A service of several parts: `start` hands each to `part` once it runs. They end together, the newest first, also when `start` fails. */
export async function composed<Service>(
  start: (part: <One extends Part>(one: One) => One) => Promise<Service>,
): Promise<Running<Service>> {
  const parts: Part[] = [];
  const stop = async () => {
    for (const part of parts.toReversed()) await part.stop();
  };
  try {
    const service = await start((one) => {
      parts.push(one);
      return one;
    });
    return { service, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
