import type { SubscriptionSetup } from '../ports/setup.ts';
import { jsonOf, member } from './google-client.ts';
import { type PubSubPorts, type PubSubSettings, pubsubClient, pubsubPath } from './pubsub.ts';

/**
 * Asks Pub/Sub for the first hundred subscriptions of a topic, without receiving messages. The caller needs `pubsub.topics.get` and
 * `pubsub.subscriptions.get` (`roles/pubsub.viewer`), which the function itself does not have.
 *
 * @throws `queue.unavailable`, `auth.failed`, `config.invalid`
 */
export async function topicSubscriptions(
  topic: string,
  settings: PubSubSettings,
  ports: PubSubPorts,
): Promise<readonly SubscriptionSetup[]> {
  const client = pubsubClient(settings, ports);
  const get = async (attempted: string, path: string) => {
    const answer = await client.call(attempted, { method: 'GET', path: `/v1/${path}` });
    if (answer.status === 200) return jsonOf(answer.body);
    const wayOut =
      answer.status === 404
        ? '; create it or correct its name'
        : answer.status === 403
          ? '; ask as somebody who has roles/pubsub.viewer'
          : '';
    throw client.refused(attempted, answer, wayOut);
  };
  const listed = await get(`look at the topic "${topic}"`, `${pubsubPath(topic)}/subscriptions`);
  const names = member(listed, 'subscriptions') ?? [];
  return Promise.all(
    (Array.isArray(names) ? names : []).map(async (name: string) => {
      const found = await get(`look at the subscription "${name}"`, pubsubPath(name));
      const attempts = member(member(found, 'deadLetterPolicy'), 'maxDeliveryAttempts');
      return {
        name,
        deadlineSeconds: Number(member(found, 'ackDeadlineSeconds')),
        maxDeliveryAttempts: attempts === undefined ? undefined : Number(attempts),
      };
    }),
  );
}
