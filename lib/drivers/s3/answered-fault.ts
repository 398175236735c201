import { type AwsFault, faultMessage } from '../aws-client.ts';
import { faultText, type HttpExchange } from '../http.ts';

/** What an answer of S3 that is no success, or none at all, says. */
export function faultOf(answer: HttpExchange, attempts: number): AwsFault {
  if (answer.kind !== 'answer') {
    return {
      name: answer.cause.name,
      message: faultMessage(faultText(answer.cause)),
      status: undefined,
      attempts,
    };
  }
  const { status } = answer;
  const text = answer.body.subarray(0, LONGEST_ERROR_BYTES).toString();
  const name = element(text, 'Code');
  // Whoever else answers (a proxy, a gateway before it) has words of its own; an answer to HEAD has none.
  if (!/^(\s|<\?xml[^>]*>)*<Error[\s>]/.test(text) || name === undefined) {
    return { name: 'Unknown', message: '', status, attempts };
  }
  return { name, message: faultMessage(element(text, 'Message') ?? ''), status, attempts };
}

/** The region that the bucket is in, when the answer says that it is in another one: in a header, or in its text alone, as MinIO has it. */
export function rightRegion(answer: HttpExchange): string | undefined {
  if (answer.kind !== 'answer' || ![301, 307, 400].includes(answer.status)) return undefined;
  const region = answer.headers['x-amz-bucket-region'];
  if (typeof region === 'string') return region;
  const text = answer.body.subarray(0, LONGEST_ERROR_BYTES).toString();
  return element(text, 'Code') === 'AuthorizationHeaderMalformed' ? element(text, 'Region') : undefined;
}

const LONGEST_ERROR_BYTES = 64 * 1024;

function element(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => ENTITIES[entity] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
