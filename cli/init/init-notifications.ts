import { Command } from 'commander';
import { checkStage } from '../../lib/config/stage.ts';
import { RegistrarError } from '../../lib/errors.ts';
import {
  mergeNotifications,
  wantedNotification,
  withEventBridge,
  withOwnNotifications,
} from '../../lib/jobs/bucket-notifications.ts';
import { stringifyJson } from '../../lib/spec/json.ts';
import { readConfig } from '../../lib/wire/configuration.ts';
import { bucketNotifications } from '../../lib/wire/platform-services.ts';
import { helpText } from '../help-text.ts';

interface Flags {
  readonly stage: string;
  readonly suffix: string;
  readonly eventbridge?: true;
  readonly apply?: true;
  readonly json?: true;
}

const TOLD = { current: 'up to date', applied: 'applied', added: 'needs --apply' };

/** `iceberg-registrar init notifications [--apply]`: exits 0 when the buckets notify the queue, 3 when they do not. */
export function notificationsCommand(): Command {
  return new Command('notifications')
    .description(
      'Show the notifications that the buckets of REGISTRAR_CONFIG should have: the existing ones, plus ours to the arrivals queue',
    )
    .option('--stage <name>', 'name of the deployment', 'prod')
    .option('--suffix <suffix>', 'suffix of the keys that are segments', '.parquet')
    .option(
      '--eventbridge',
      'turn on EventBridge for the buckets instead, for a deployment with "notifications: eventbridge"',
    )
    .option('--apply', 'write them to the buckets; existing ones are kept')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      helpText(
        [
          'REGISTRAR_CONFIG=registrar.yaml iceberg-registrar init notifications --stage prod',
          'REGISTRAR_CONFIG=registrar.yaml iceberg-registrar init notifications --stage prod --apply',
        ],
        '0 the buckets notify the queue, 3 they do not, 1 it could not be determined',
      ),
    )
    .action(async (_: unknown, command: Command) => {
      // `init` has some of these options too, and takes them wherever they stand.
      const { stage, suffix, eventbridge, apply, json } = command.optsWithGlobals<Flags>();
      checkStage(stage, 'aws');
      const { entries } = await readConfig(process.env);
      const results = [];
      for (const [index, entry] of withOwnNotifications(entries).entries()) {
        const wanted = wantedNotification(entry);
        if (wanted === undefined) {
          throw new RegistrarError(
            'config.invalid',
            entry.url.startsWith('gs://')
              ? `Cannot set up notifications for "${entry.url}": on Google Cloud use Terraform or gcloud (docs/deploying-google-cloud.md)`
              : `Cannot set up notifications for "${entry.url}": set queues.arrivals to the URL of the arrivals queue, an output of the stack`,
          );
        }
        const notifications = bucketNotifications(entry);
        const existing = await notifications.read(wanted.bucket);
        const merged = eventbridge
          ? withEventBridge(existing)
          : mergeNotifications(existing, { ...wanted, suffix }, stage, index + 1);
        const applies = apply && merged.state === 'added';
        if (applies) await notifications.write(wanted.bucket, merged.configuration);
        results.push({
          bucket: wanted.bucket,
          state: applies ? ('applied' as const) : merged.state,
          configuration: merged.configuration,
        });
      }
      if (json) console.log(stringifyJson({ buckets: results }, 2));
      else
        for (const { bucket, state, configuration } of results)
          console.log(`${bucket}: ${TOLD[state]}\n${stringifyJson(configuration, 2)}`);
      process.exitCode = results.some(({ state }) => state === 'added') ? 3 : 0;
    });
}
