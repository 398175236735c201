import { randomUUID } from 'node:crypto';
import { queueContract } from '../../contract/queue-contract.ts';
import { sqsSubject } from '../../contract/sqs-subject.ts';
import { describeWith } from '../services/describe-with.ts';
import { storeSettings } from '../services/settings.ts';

describeWith('queue contract', ['localstack'], ({ localstack }) => {
  queueContract('sqsQueue on LocalStack', async () => ({
    subject: sqsSubject(storeSettings(localstack), `contract-${randomUUID()}`),
  }));
});
