import { randomUUID } from 'node:crypto';
import { s3Store } from '../../lib/drivers/s3.ts';
import { startStorageAndQueues } from '../../local/storage-and-queues.ts';
import { fakeStore } from '../fakes/store.ts';
import { storeContract } from './store-contract.ts';

storeContract('fakeStore', async () => ({
  subject: { store: fakeStore({ now: () => Date.now() }), root: 's3://lake/run' },
}));

storeContract('s3Store on the embedded S3', async () => {
  const { s3, sqs, objects } = await startStorageAndQueues({
    region: 'us-east-1',
    now: () => Date.now(),
    uuid: randomUUID,
  });
  objects.createBucket('lake');
  return {
    subject: {
      store: s3Store({ endpoint: s3.url, access_key_id: 'local', secret_access_key: 'local-secret' }),
      root: 's3://lake/run',
    },
    close: async () => {
      await Promise.all([s3.close(), sqs.close()]);
    },
  };
});
