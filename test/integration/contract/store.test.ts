import { randomUUID } from 'node:crypto';
import { s3Store } from '../../../lib/drivers/s3.ts';
import { storeContract } from '../../contract/store-contract.ts';
import { describeWith } from '../services/describe-with.ts';
import type { StoreService } from '../services/service.ts';
import { storeSettings } from '../services/settings.ts';

const subject = (service: StoreService) => async () => ({
  subject: {
    store: s3Store(storeSettings(service)),
    root: `s3://${service.bucket}/contract/${randomUUID()}`,
  },
});

/** SeaweedFS keeps keys as paths of a file system. */
const keysAsPaths = Object.fromEntries(
  [
    ...['double//slash///x.parquet', 'back\\slash.parquet', 'dots/./x/../y.parquet', 'folder/'].map(
      (key) => `key ${JSON.stringify(key)} is written, read and listed as it is (D20)`,
    ),
    'list cuts a name at any character, and goes in the order of the bytes of the keys',
  ].map((title) => [title, 'SeaweedFS keeps keys as paths']),
);

describeWith('store contract', ['seaweedfs'], ({ seaweedfs }) => {
  storeContract('s3Store on SeaweedFS', subject(seaweedfs), keysAsPaths);
});

describeWith('store contract', ['localstack'], ({ localstack }) => {
  storeContract('s3Store on LocalStack', subject(localstack));
});
