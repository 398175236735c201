import type { Entry } from '../config/entry.ts';
import type { Environment } from '../config/overrides.ts';
import type { DoctorPorts } from '../jobs/doctor/doctor.ts';
import type { BucketLifecycle } from '../ports/setup.ts';
import { bucketNotifications, googlePorts, pubsubSettings, queueSetup } from './platform-services.ts';
import { proxiesOf } from './proxies.ts';

type DoctorServices = Pick<
  DoctorPorts,
  'certificateOf' | 'queueSetups' | 'regionOf' | 'lifecycleOf' | 'notificationsOf' | 'nodeVersion'
>;

/** The services that doctor needs in addition to those of a registration. A driver is loaded when a check uses it. */
export function doctorServices(env: Environment): DoctorServices {
  return {
    async certificateOf(entry) {
      if (proxiesOf(env).https !== '') return undefined;
      return (await import('../drivers/rest-catalog/server-certificate.ts')).serverCertificate(entry);
    },
    queueSetups: {
      ofQueue: queueSetup,
      async ofTopic(topic) {
        const { topicSubscriptions } = await import('../drivers/topic-subscriptions.ts');
        return topicSubscriptions(topic, pubsubSettings(env), await googlePorts());
      },
    },
    regionOf: ({ store }) => ({
      read: async (bucket) =>
        (await import('../drivers/bucket-region.ts')).s3BucketRegion(store).read(bucket),
    }),
    lifecycleOf: (entry) => ({ read: async (bucket) => (await lifecycle(entry)).read(bucket) }),
    notificationsOf: bucketNotifications,
    nodeVersion: process.version,
  };
}

async function lifecycle({ url, store }: Entry): Promise<BucketLifecycle> {
  if (url.startsWith('s3://')) return (await import('../drivers/bucket-lifecycle.ts')).s3Lifecycle(store);
  const { gcsLifecycle } = await import('../drivers/gcs-lifecycle.ts');
  return gcsLifecycle(store, await googlePorts());
}
