import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListedManifest } from '../../lib/append/manifest-file-type.ts';
import { type MergeLimits, mergeLimits, planMerge } from '../../lib/append/merge-policy.ts';

const SPECS = new Set([0, 1]);
/** Compressed sizes for a table of twelve columns. */
const FILE_BYTES = 700n;
const HEADER_BYTES = 5000n;

let made = 0;
function manifest(files: number, overrides: Partial<ListedManifest> = {}): ListedManifest {
  made += 1;
  return {
    manifestPath: `s3://bucket/metadata/${made}.avro`,
    manifestLength: HEADER_BYTES + FILE_BYTES * BigInt(files),
    partitionSpecId: 0,
    content: 0,
    sequenceNumber: 1n,
    minSequenceNumber: 1n,
    addedSnapshotId: 1n,
    addedFilesCount: files,
    existingFilesCount: 0,
    deletedFilesCount: 0,
    addedRowsCount: 0n,
    existingRowsCount: 0n,
    deletedRowsCount: 0n,
    partitions: [],
    ...overrides,
  };
}

const singles = (count: number, overrides?: Partial<ListedManifest>): readonly ListedManifest[] =>
  Array.from({ length: count }, () => manifest(1, overrides));

function filesOf({ addedFilesCount = 0, existingFilesCount = 0 }: ListedManifest): number {
  return addedFilesCount + existingFilesCount;
}

/** The list of a table after commits with these numbers of files, in which every planned merge was done. */
function grow(commits: readonly number[], limits: MergeLimits) {
  let list: readonly ListedManifest[] = [];
  let lookAgainAt = 0;
  const merges: (readonly ListedManifest[])[] = [];
  let looks = 0;
  let most = 0;
  for (const files of commits) {
    if (list.length >= Math.max(limits.minCount, lookAgainAt)) {
      looks += 1;
      const plan = planMerge(list, SPECS, limits);
      lookAgainAt = plan.lookAgainAt;
      const sources = new Set(plan.sources);
      const [first] = plan.sources;
      if (first !== undefined) {
        merges.push(plan.sources);
        const merged = manifest(plan.sources.reduce((sum, source) => sum + filesOf(source), 0));
        list = list.flatMap((one) => (one === first ? [merged] : sources.has(one) ? [] : [one]));
      }
    }
    list = [manifest(files), ...list];
    most = Math.max(most, list.length);
  }
  return { list, merges, looks, most };
}

describe('mergeLimits', () => {
  it("are Java's defaults if the table has no properties, or properties that are not numbers", () => {
    const standard = { isEnabled: true, minCount: 100, targetSizeBytes: 8_388_608n };
    expect(mergeLimits({})).toEqual(standard);
    expect(mergeLimits({ 'commit.manifest.min-count-to-merge': 'many' })).toEqual(standard);
  });

  it("are the table's, within what an invocation can hold", () => {
    expect(
      mergeLimits({
        'commit.manifest-merge.enabled': 'FALSE',
        'commit.manifest.min-count-to-merge': '1',
        'commit.manifest.target-size-bytes': '1000000000000',
      }),
    ).toEqual({ isEnabled: false, minCount: 2, targetSizeBytes: 67_108_864n });
  });
});

describe('planMerge', () => {
  const limits = mergeLimits({});

  it('merges from the minimum count on', () => {
    const list = singles(100);
    expect(planMerge(list, SPECS, limits).sources).toEqual(list);
    expect(planMerge(list.slice(1), SPECS, limits)).toEqual({ sources: [], lookAgainAt: 109 });
  });

  it('merges only live, unencrypted data manifests of one partition spec that can be written', () => {
    const others = [
      manifest(1, { content: 1 }),
      manifest(1, { partitionSpecId: 1 }),
      manifest(1, { partitionSpecId: 7 }),
      manifest(1, { keyMetadata: Buffer.from('key') }),
      manifest(1, { addedFilesCount: undefined }),
      manifest(0, { deletedFilesCount: 4 }),
    ];
    const list = singles(120);
    const mixed = list.flatMap((one, index) => [one, ...others.slice(index % 6, (index % 6) + 1)]);
    expect(planMerge(mixed, SPECS, limits).sources).toEqual(list);
    expect(planMerge(singles(300, { content: 1 }), SPECS, limits).sources).toEqual([]);
    expect(planMerge(singles(300, { partitionSpecId: 7 }), SPECS, limits).sources).toEqual([]);
  });

  it('keeps a manifest that is larger than all the others of a merge together', () => {
    const large = manifest(1000);
    const list = [...singles(60), large, ...singles(100)];
    expect(planMerge(list, SPECS, limits).sources).toEqual(list.slice(61));
  });

  it('merges a bounded part of a backlog, and the rest in later commits', () => {
    expect(planMerge(singles(10_000), SPECS, limits).sources).toHaveLength(200);
    const { list } = grow([...Array(10_000).fill(1)], { ...limits, minCount: 1_000_000 });
    const after = growFrom(list, 300, limits);
    expect(after.length).toBeLessThan(200);
  });

  it('rewrites at most n log n entries of a table of n files, whatever the commits add, and never exceeds the target size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 500 })), {
          minLength: 50,
          maxLength: 2000,
        }),
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 20_000, max: 2_000_000 }),
        (commits, minCount, target) => {
          const { merges } = grow(commits, { isEnabled: true, minCount, targetSizeBytes: BigInt(target) });
          const files = commits.reduce((sum, count) => sum + count, 0);
          const rewritten = merges.flat().reduce((sum, one) => sum + filesOf(one), 0);
          expect(rewritten).toBeLessThanOrEqual(files * Math.ceil(Math.log2(files + 1)));
          for (const sources of merges) {
            const size = sources.reduce((sum, { manifestLength }) => sum + manifestLength, 0n);
            expect(Number(size)).toBeLessThanOrEqual(target);
            expect(sources.length).toBeGreaterThanOrEqual(minCount);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('keeps the list of a table of 20,000 commits short, and searches it rarely', () => {
    const { list, most, merges, looks } = grow([...Array(20_000).fill(1)], limits);
    expect(most).toBeLessThan(120);
    expect(list.reduce((sum, one) => sum + filesOf(one), 0)).toBe(20_000);
    const rewritten = merges.flat().reduce((sum, one) => sum + filesOf(one), 0);
    expect(rewritten / 20_000).toBeLessThan(8);
    expect(looks).toBeLessThan(20_000 / 9);
  });

  function growFrom(backlog: readonly ListedManifest[], commits: number, within: MergeLimits) {
    let list = backlog;
    for (let n = 0; n < commits; n += 1) {
      const { sources } = planMerge(list, SPECS, within);
      const [first] = sources;
      const merged = manifest(sources.reduce((sum, source) => sum + filesOf(source), 0));
      list = [
        manifest(1),
        ...list.flatMap((one) => (one === first ? [merged] : sources.includes(one) ? [] : [one])),
      ];
    }
    return list;
  }
});
