import type { Content } from './contents.ts';
import type { History } from './history.ts';
import { BUCKET, keyUri } from './lake.ts';
import type { SimQueues } from './queues.ts';
import type { Upload } from './schedule.ts';
import type { SimStore } from './store.ts';
import type { World } from './world.ts';

/** An object as in S3's notification. */
export interface Created {
  readonly uri: string;
  readonly etag: string;
  readonly sizeBytes: number;
  readonly sequencer: number;
  readonly copied: boolean;
}

/** Uploads objects, and sends the notifications about them to the queues. */
export interface Shipper {
  upload(upload: Upload): Created;
  /** A file that another writer wrote below the notified prefix. */
  wrote(uri: string, content: Content): void;
  /** Without a group S3 sends one notification per object. With a group the shipper sends one message for all of them. */
  notify(created: readonly Created[], afterMs: number, group: string | undefined): void;
}

export function shipperOf(world: World, store: SimStore, queues: SimQueues, history: History): Shipper {
  let uploads = 0;

  function created(uri: string, { etag, bytes }: Content, copied: boolean): Created {
    uploads += 1;
    return { uri, etag, sizeBytes: bytes.length, sequencer: uploads, copied };
  }

  const shipper: Shipper = {
    upload({ key, content: kind, number, copied }) {
      const content = world.contents(kind, number, world.schedule.settings.byName);
      const uri = keyUri(key);
      store.put(uri, content.bytes, content.etag);
      history.hold(uri, content);
      return created(uri, content, copied);
    },
    wrote(uri, content) {
      store.put(uri, content.bytes, content.etag);
      shipper.notify([created(uri, content, false)], 1_000, undefined);
    },
    notify(some, afterMs, group) {
      world.timeline.after(afterMs, () => {
        if (group === undefined) {
          for (const one of some) queues.send(queues.arrivals, notification([one]));
          return;
        }
        const deduplicationId = `${world.timeline.now()}/${some[0]?.sequencer}`;
        queues.send(queues.registrations, notification(some), group, deduplicationId);
      });
    },
  };
  return shipper;
}

function notification(objects: readonly Created[]): string {
  return JSON.stringify({
    Records: objects.map(({ uri, etag, sizeBytes, sequencer, copied }) => ({
      eventVersion: '2.1',
      eventSource: 'aws:s3',
      eventName: copied ? 'ObjectCreated:Copy' : 'ObjectCreated:Put',
      s3: {
        bucket: { name: BUCKET },
        object: {
          key: uri.slice(`s3://${BUCKET}/`.length),
          size: sizeBytes,
          eTag: etag,
          sequencer: `0055AED6${sequencer.toString(16).padStart(10, '0').toUpperCase()}`,
        },
      },
    })),
  });
}
