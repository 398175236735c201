import { randomUUID } from 'node:crypto';
import { storeContract } from '../../contract/store-contract.ts';
import { describeWith } from '../services/describe-with.ts';
import { storageOf } from './emulated.ts';

describeWith('store contract', ['google'], ({ google }) => {
  storeContract('gcsStore on fake-gcs-server', async () => ({
    subject: { store: storageOf(google), root: `gs://${google.bucket}/contract/${randomUUID()}` },
  }));
});
