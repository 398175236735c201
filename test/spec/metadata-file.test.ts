import { expect, test } from 'vitest';
import { metadataVersion } from '../../lib/spec/metadata-file.ts';

test.each([
  ['s3://lake/t/metadata/00000-a.metadata.json', 0],
  ['s3://lake/t/metadata/00042-8d6f.gz.metadata.json', 42],
  ['s3://lake/t/metadata/99999-a.metadata.json', 99_999],
  ['s3://lake/t/metadata/100000-a.metadata.json', 100_000],
  ['s3://lake/t/metadata/v1.metadata.json', undefined],
  ['s3://lake/t/metadata/42-a.metadata.json', 42],
  ['s3://lake/t/metadata/00042-a.avro', undefined],
])('metadataVersion of %s is %s', (uri, version) => {
  expect(metadataVersion(uri)).toBe(version);
});
