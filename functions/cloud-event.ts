import { cloudEvent, http } from '@google-cloud/functions-framework';
import { cloudEventArrived, connectEarly, pullRequested } from '../lib/wire.ts';

connectEarly();

/** Target `register`: one Cloud Storage event, by Eventarc → one commit. What it throws makes the event be delivered again. */
cloudEvent('register', cloudEventArrived);

/**
 * Target `pull`: `{"subscription": "projects/p/subscriptions/s"}`, on a schedule → one commit per table → `{messages, failed}`.
 */
http('pull', async (request, response) => {
  response.json(await pullRequested(request.body));
});
