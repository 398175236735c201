/** What S3 puts into a queue for one upload (event version 2.1): the key form-encoded, the ETag without quotes. */
export function s3Event(object: {
  readonly bucket: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly etag: string;
  readonly sequencer: string;
}): string {
  const key = object.key.split('/').map((part) => encodeURIComponent(part).replaceAll('%20', '+'));
  return JSON.stringify({
    Records: [
      {
        eventVersion: '2.1',
        eventSource: 'aws:s3',
        awsRegion: 'us-east-1',
        eventTime: new Date().toISOString(),
        eventName: 'ObjectCreated:Put',
        s3: {
          s3SchemaVersion: '1.0',
          configurationId: 'tests',
          bucket: { name: object.bucket, arn: `arn:aws:s3:::${object.bucket}` },
          object: {
            key: key.join('/'),
            size: object.sizeBytes,
            eTag: object.etag,
            sequencer: object.sequencer,
          },
        },
      },
    ],
  });
}
