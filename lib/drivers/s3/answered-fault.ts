import { type AwsFault, faultMessage } from '../aws-client.ts';
import { faultText, type HttpExchange } from '../http.ts';

/** The fault in an unsuccessful answer of S3, or in the lack of one. */
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
  // A proxy or gateway answers in its own format, and an answer to HEAD has no body.
  if (!/^(\s|<\?xml[^>]*>)*<Error[\s>]/.test(text) || name === undefined) {
    return { name: 'Unknown', message: '', status, attempts };
  }
  return { name, message: faultMessage(element(text, 'Message') ?? ''), status, attempts };
}

/** The bucket's region, if the answer says that it is another one: in a header or, from MinIO, only in the text. */
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
