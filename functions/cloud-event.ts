import { cloudEvent, http } from '@google-cloud/functions-framework';
import { cloudEventArrived, connectEarly, pullRequested } from '../lib/wire/functions.ts';

connectEarly();

/** Target `register`: one Cloud Storage event from Eventarc → one commit. If it throws, Eventarc delivers the event again. */
cloudEvent('register', cloudEventArrived);

/**
 * Target `pull`, called on a schedule: `{"subscription": "projects/p/subscriptions/s"}` → one commit per table and round →
 * `{messages, failed}`.
 */
http('pull', async (request, response) => {
  response.json(await pullRequested(request.body));
});
