import { randomUUID } from 'node:crypto';
import { startStorageAndQueues } from '../../local/storage-and-queues.ts';
import { fakeQueue } from '../fakes/queue.ts';
import { seededRandom } from '../fakes/random.ts';
import { virtualTime } from '../fakes/time.ts';
import { queueContract } from './queue-contract.ts';
import { sqsSubject } from './sqs-subject.ts';

queueContract('fakeQueue', async () => {
  const time = virtualTime();
  const queue = fakeQueue(time.clock, seededRandom());
  return { subject: { queue, createQueue: async (wanted) => queue.create(wanted), pass: time.advance } };
});

queueContract('sqsQueue on the embedded SQS', async () => {
  const { s3, sqs } = await startStorageAndQueues({
    region: 'us-east-1',
    now: () => Date.now(),
    uuid: randomUUID,
  });
  const settings = {
    endpoint: sqs.url,
    region: 'us-east-1',
    access_key_id: 'local',
    secret_access_key: 'local-secret',
  };
  return {
    subject: sqsSubject(settings, 'contract'),
    close: async () => {
      await Promise.all([s3.close(), sqs.close()]);
    },
  };
});
