import { cloudEvent, http } from '@google-cloud/functions-framework';
import { cloudEventArrived, connectEarly, pullRequested } from '../lib/wire.ts';

connectEarly();

/** Target `register`: one event of Cloud Storage, by Eventarc → one commit; what it throws is delivered again. */
cloudEvent('register', cloudEventArrived);

/** Target `pull`: `{"subscription": "projects/p/subscriptions/s"}`, on a schedule → one commit a table → `{messages, failed}`. */
http('pull', async (request, response) => {
  response.json(await pullRequested(request.body));
});
