import { createInterface } from 'node:readline/promises';
import { CommanderError } from 'commander';
import { checkStage } from '../../lib/config/stage.ts';
import { RegistrarError } from '../../lib/errors.ts';
import { withoutEndSlashes } from '../../lib/spec/object-uri.ts';
import { INTERRUPTED } from '../stop-signal.ts';
import type { Answers } from './init-files.ts';

/** Answers given as options instead of asked for. */
export interface InitFlags {
  readonly cloud?: Answers['cloud'];
  readonly url?: string;
  readonly layout?: string;
  /** Separated by commas. */
  readonly from?: string;
  readonly tableLocation?: string;
  readonly catalogUri?: string;
  readonly namespace?: string;
  readonly tokenSecret?: string;
  readonly createTable?: true;
  readonly freshness?: string;
  readonly stage: string;
  readonly region?: string;
  readonly project?: string;
}

/**
 * Gets the answers from flags and, on a terminal, from questions. If the flags answer everything required, nothing is asked,
 * and optional answers have their defaults.
 *
 * @throws `config.invalid` if flags contradict each other, or something required is missing and there is no terminal to ask on
 * @throws CommanderError, with which the command ends quietly, after Ctrl-C or Ctrl-D at a question
 */
export async function answersTo(flags: InitFlags): Promise<Answers> {
  const terminal = process.stdin.isTTY
    ? createInterface({ input: process.stdin, output: process.stderr })
    : undefined;
  // Where the questions do not appear on the terminal (2> file), Ctrl-D ends the input and rejects no question.
  const ended = new AbortController();
  terminal?.once('close', () => ended.abort());
  const ask = async (question: string): Promise<string | undefined> =>
    (await terminal?.question(`${question} `, { signal: ended.signal }))?.trim();
  const asksMore = [flags.url, flags.catalogUri, flags.namespace].includes(undefined);
  const needed = async (known: string | undefined, flag: string, question: string): Promise<string> => {
    const text = known ?? (await ask(question));
    if (text !== undefined && text !== '') return text;
    throw new RegistrarError('config.invalid', `Cannot write a configuration without ${flag}: ${question}`);
  };
  const optional = async (known: string | undefined, question: string): Promise<string | undefined> => {
    if (known !== undefined || !asksMore) return known;
    const text = await ask(question);
    return text === '' ? undefined : text;
  };
  try {
    const cloud = await cloudOf(flags, optional);
    checkStage(flags.stage, cloud);
    if (cloud === 'aws' && flags.project !== undefined) {
      throw new RegistrarError(
        'config.invalid',
        `Cannot deploy in project "${flags.project}" on AWS: leave out --project, or give --cloud google and a --url like ${CLOUDS.google.url}`,
      );
    }
    if (terminal === undefined) refuseMissing(flags, cloud);
    const { url, secrets } = CLOUDS[cloud];
    const uploads = await needed(flags.url, '--url', `Where are the segments uploaded (${url})?`);
    const answers = {
      url: withoutEndSlashes(uploads),
      layout: await optional(
        flags.layout,
        'How are keys laid out: the name of a shipper, such as spark, or a template (Enter: {url}/thadam/v1/{pipeline}/{dataset}/…)?',
      ),
      from: flags.from?.split(',').map((dataset) => dataset.trim()),
      tableLocation: flags.tableLocation,
      catalogUri: await needed(
        flags.catalogUri,
        '--catalog-uri',
        'Where is the Iceberg REST catalog (https://…)?',
      ),
      tokenSecret: await optional(
        flags.tokenSecret,
        `Which secret of ${secrets} holds its token (Enter: none)?`,
      ),
      namespace: await needed(flags.namespace, '--namespace', 'Which namespace are the tables in?'),
      createTable:
        flags.createTable ?? /^y/i.test((await optional(undefined, 'Create missing tables (y/N)?')) ?? ''),
      freshness: flags.freshness,
      stage: flags.stage,
    };
    if (cloud === 'aws') {
      return {
        ...answers,
        cloud,
        region: await optional(flags.region, 'In which region (Enter: the CDK’s default)?'),
      };
    }
    return {
      ...answers,
      cloud,
      region: await needed(flags.region, '--region', 'In which region (the bucket’s)?'),
      project: await needed(flags.project, '--project', 'In which project?'),
    };
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    throw new CommanderError(INTERRUPTED, 'init.interrupted', 'A question was left unanswered');
  } finally {
    terminal?.close();
  }
}

const CLOUDS = {
  aws: { url: 's3://bucket/prefix', secrets: 'AWS Secrets Manager' },
  google: { url: 'gs://bucket/prefix', secrets: 'Secret Manager' },
} as const;

/** @throws `config.invalid` naming everything that is required and missing */
function refuseMissing(flags: InitFlags, cloud: Answers['cloud']): void {
  const { url, catalogUri, namespace, region, project } = flags;
  const required = {
    '--url': url,
    '--catalog-uri': catalogUri,
    '--namespace': namespace,
    ...(cloud === 'google' && { '--region': region, '--project': project }),
  };
  const missing = Object.entries(required).flatMap(([flag, given]) => (given ? [] : [flag]));
  if (missing.length === 0) return;
  throw new RegistrarError(
    'config.invalid',
    `Cannot write a configuration without ${missing.join(', ')}: give them as options (init --help explains each), or run init on a terminal, where it asks`,
  );
}

/** The cloud to deploy on. @throws `config.invalid` if the flags contradict each other */
async function cloudOf(
  { cloud, url }: InitFlags,
  ask: (known: string | undefined, question: string) => Promise<string | undefined>,
): Promise<Answers['cloud']> {
  if (url !== undefined) {
    const platform = url.startsWith('gs://') ? 'google' : 'aws';
    if (cloud === undefined || cloud === platform) return platform;
    throw new RegistrarError(
      'config.invalid',
      `Cannot deploy on "${cloud}" for uploads to "${url}": give a URL like ${CLOUDS[cloud].url}`,
    );
  }
  const answer = cloud ?? (await ask(undefined, 'On which cloud: aws or google (Enter: aws)?')) ?? 'aws';
  if (answer === 'aws' || answer === 'google') return answer;
  throw new RegistrarError('config.invalid', `Cannot deploy on "${answer}": choose aws or google`);
}
