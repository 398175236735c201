import type { ObjectChange } from './objects.ts';
import { S3Error } from './s3-error.ts';
import { type XmlElement, xmlElements, xmlText } from './xml.ts';

/** One `QueueConfiguration` of a bucket. */
export interface QueueConfiguration {
  readonly id: string;
  readonly queueArn: string;
  /** `s3:ObjectCreated:*`, `s3:ObjectRemoved:Delete`, … */
  readonly events: readonly string[];
  readonly prefix: string;
  readonly suffix: string;
}

/** Reads `NotificationConfiguration`. @throws S3Error 501 for targets other than queues */
export function readNotificationConfiguration(
  xml: string,
  uuid: () => string,
): readonly QueueConfiguration[] {
  for (const target of ['TopicConfiguration', 'CloudFunctionConfiguration', 'EventBridgeConfiguration']) {
    if (xml.includes(`<${target}`))
      throw new S3Error(501, 'NotImplemented', `Only queues can be notified, no ${target}`);
  }
  return xmlElements(xml, 'QueueConfiguration').map((configuration) => {
    const rules = xmlElements(configuration, 'FilterRule').map(
      (rule) => [xmlText(rule, 'Name')?.toLowerCase(), xmlText(rule, 'Value')] as const,
    );
    const value = (name: string) => rules.find(([ruleName]) => ruleName === name)?.[1] ?? '';
    return {
      id: xmlText(configuration, 'Id') ?? uuid(),
      queueArn: xmlText(configuration, 'Queue') ?? '',
      events: xmlElements(configuration, 'Event'),
      prefix: value('prefix'),
      suffix: value('suffix'),
    };
  });
}

export function notificationConfigurationXml(configurations: readonly QueueConfiguration[]): XmlElement {
  return [
    'NotificationConfiguration',
    configurations.map(({ id, queueArn, events, prefix, suffix }) => [
      'QueueConfiguration',
      [
        ['Id', id],
        ['Queue', queueArn],
        ...events.map((event): XmlElement => ['Event', event]),
        ['Filter', [['S3Key', [rule('prefix', prefix), rule('suffix', suffix)]]]],
      ],
    ]),
  ];
}

const rule = (name: string, value: string): XmlElement => [
  'FilterRule',
  [
    ['Name', name],
    ['Value', value],
  ],
];

/** Whether a configuration matches this change. */
export function wants(configuration: QueueConfiguration, change: ObjectChange): boolean {
  return (
    change.key.startsWith(configuration.prefix) &&
    change.key.endsWith(configuration.suffix) &&
    configuration.events.some((event) => `s3:${change.name}`.startsWith(event.replace(/\*$/, '')))
  );
}

/** The message that S3 sends to a queue when it becomes the target of a configuration. */
export function testEvent(bucket: string, nowMs: number, requestId: string): object {
  return {
    Service: 'Amazon S3',
    Event: 's3:TestEvent',
    Time: new Date(nowMs).toISOString(),
    Bucket: bucket,
    RequestId: requestId,
    HostId: 'local',
  };
}

/** The notification of one change, version 2.1 ("Event message structure" of the S3 user guide). */
export function changeEvent(
  change: ObjectChange,
  at: {
    readonly configurationId: string;
    readonly region: string;
    readonly nowMs: number;
    readonly sequencer: string;
  },
): object {
  const { name, bucket, object } = change;
  return {
    Records: [
      {
        eventVersion: '2.1',
        eventSource: 'aws:s3',
        awsRegion: at.region,
        eventTime: new Date(at.nowMs).toISOString(),
        eventName: name,
        userIdentity: { principalId: 'AWS:LOCAL' },
        requestParameters: { sourceIPAddress: '127.0.0.1' },
        responseElements: { 'x-amz-request-id': at.sequencer, 'x-amz-id-2': 'local' },
        s3: {
          s3SchemaVersion: '1.0',
          configurationId: at.configurationId,
          bucket: { name: bucket, ownerIdentity: { principalId: 'LOCAL' }, arn: `arn:aws:s3:::${bucket}` },
          object: {
            key: formEncode(change.key),
            ...(object && { size: object.bytes.length, eTag: object.etag }),
            sequencer: at.sequencer,
          },
        },
      },
    ],
  };
}

/** A key as S3 writes it in notifications: form-encoded, a space as `+`, slashes left alone. */
export function formEncode(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replaceAll('%20', '+')
    .replaceAll(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
