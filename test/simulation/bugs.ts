/** A change of the source that makes a classic mistake. `from` occurs exactly once in the file. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Classic mistakes of registrars, from issues of other projects (cases.md D), to be planted here. */
export const bugs: Readonly<Record<string, readonly Edit[]>> = {
  'the ledger is checked once, outside the attempt loop': [
    {
      file: 'lib/jobs/register/staging.ts',
      from: 'const judgement = await judge(',
      to: 'const judgement = last ?? await judge(',
    },
  ],
  'files are cleaned up after a 5xx': [
    {
      file: 'test/simulation/catalog.ts',
      from: "unanswered: (why) => ({ outcome: 'unknown', message: why }),",
      to: `unanswered: (why) => {
        for (const update of request.updates) {
          if (update.action === 'add-snapshot') store.objects.delete(update.snapshot['manifest-list']);
        }
        return { outcome: 'unknown', message: why };
      },`,
    },
  ],
  'every attempt writes the same manifest list': [
    {
      file: 'lib/jobs/register/staging.ts',
      from: 'attempt: number,\n        uuid: random.uuid(),',
      to: "attempt: 1,\n        uuid: '00000000-0000-4000-8000-000000000000',",
    },
    {
      file: 'lib/jobs/register/staging.ts',
      from: 'staged.listBytes, { ifAbsent: true }',
      to: 'staged.listBytes',
    },
  ],
  'the parent list of the first attempt serves every attempt': [
    {
      file: 'lib/jobs/register/staging.ts',
      from: 'const parentList = listOfHead(cached, state, entry.branch) ?? (await readList(store, head));',
      to: "const parentList = (globalThis['firstList'] = number > 1 ? globalThis['firstList'] : listOfHead(cached, state, entry.branch) ?? (await readList(store, head)));",
    },
    { file: 'lib/append/stage.ts', from: 'head?.manifestList !== parentList?.path', to: 'false' },
  ],
  'a prepared manifest is reused after a part of its batch was registered by others': [
    {
      file: 'lib/jobs/register/staging.ts',
      from: 'prepared?.batch === batch && ',
      to: 'prepared !== undefined && ',
    },
  ],
  'a redriven message has the body of the one before': [
    { file: 'lib/route/chunk.ts', from: "nonce === undefined ? ''", to: "true ? ''" },
  ],
  'a chunk message takes its deduplication ID from its table': [
    {
      file: 'lib/route/chunk.ts',
      from: 'deduplicationId: sha256(body)',
      to: 'deduplicationId: sha256(table)',
    },
  ],
  'messages are acknowledged before the commit is known': [
    {
      file: 'lib/jobs/register/register-messages.ts',
      from: "if (outcome?.kind === 'failed') return outcome.error;",
      to: '',
    },
  ],
  'absence is proven by age alone, whatever others appended since': [
    {
      file: 'lib/ledger/ledger.ts',
      from: 'addsNothing(snapshot) ? NONE : open.unproven',
      to: 'NONE',
    },
  ],
  'presence is looked for only since the upload, so that a key uploaded again an hour later is new': [
    {
      file: 'lib/ledger/ledger.ts',
      from: 'if (open.byPath.size === 0) break;\n    open.proveUploadedAfter',
      to: 'if (open.unproven.size === 0) break;\n    open.proveUploadedAfter',
    },
  ],
  'absence is taken for proven where history has expired': [
    {
      file: 'lib/ledger/ledger.ts',
      from: "kind: unproven.has(path) ? 'unprovable' : 'absent'",
      to: "kind: 'absent'",
    },
  ],
  'live manifests are not searched where history has expired': [
    {
      file: 'lib/ledger/ledger.ts',
      from: 'copied || unproven.has(path)',
      to: 'false',
    },
    {
      file: 'lib/ledger/ledger.ts',
      from: "kind: unproven.has(path) ? 'unprovable' : 'absent'",
      to: "kind: 'absent'",
    },
  ],
  'clocks are taken to agree': [
    {
      file: 'lib/ledger/open-candidates.ts',
      from: 'UPLOAD_ALLOWANCE_MS = 15 * 60_000',
      to: 'UPLOAD_ALLOWANCE_MS = 0',
    },
  ],
  'a snapshot is dated by the own clock alone': [
    {
      file: 'lib/jobs/register/staging.ts',
      from: 'return earlier.reduce((latest, ms) => (ms > latest ? ms : latest), BigInt(nowMs));',
      to: 'return earlier.length > 0 ? BigInt(nowMs) : 0n;',
    },
  ],
  'what compaction writes is a segment': [
    {
      file: 'lib/route/table-paths.ts',
      from: ' ...configured].map(',
      to: ' ].map(',
    },
  ],
  'an unknown outcome is taken for landed': [
    {
      file: 'lib/commit/attempt-loop.ts',
      from: "if (settled === 'landed') return",
      to: 'if (settled !== undefined) return',
    },
  ],
  'the rest of a group is acknowledged after a failure': [
    { file: 'lib/report/batch-response.ts', from: 'stoppedGroups.has(result.groupId)', to: 'false' },
  ],
  'what is not done in time is acknowledged': [
    {
      file: 'lib/jobs/register/register.ts',
      from: "outcomes: references.map((reference) => ({ reference, table, kind: 'failed', error })),",
      to: "outcomes: references.map((reference) => ({ reference, table, kind: 'ignored', reason: 'missing', error })),",
    },
  ],
  'a quarantine record that could not be written counts as written': [
    {
      file: 'lib/jobs/register/table-report.ts',
      from: "return [uri, { kind: 'failed', error: fault }];",
      to: "return [uri, { kind: 'quarantined', error: fault, quarantineUri: '' }];",
    },
  ],
  'an object that the store denies counts as missing': [
    {
      file: 'lib/jobs/register/read-footers.ts',
      from: "if (read.kind === 'denied') return denied(uri, read.message);",
      to: "if (read.kind === 'denied') return 'missing';",
    },
  ],
  'what the queue did not take is acknowledged by the router': [
    {
      file: 'lib/jobs/route.ts',
      from: '.flatMap(({ items }) => items)) failures.set',
      to: '.flatMap(({ items }) => items).slice(0, 0)) failures.set',
    },
  ],
  'files of an attempt that may have landed are used again': [
    {
      file: 'lib/jobs/register/staging.ts',
      from: '!mayHaveLanded && ',
      to: '',
    },
  ],
  'a merged manifest is used again after its sources have left the list': [
    {
      file: 'lib/jobs/register/merging.ts',
      from: 'isDeepStrictEqual(listed.get(source.manifestPath), source)',
      to: 'source !== undefined',
    },
    {
      file: 'lib/append/manifest-list.ts',
      from: 'const first = inherited',
      to: 'if (!inherited.some(({ manifestPath }) => replaced.has(manifestPath))) return [file, ...inherited];\n  const first = inherited',
    },
    { file: 'lib/append/manifest-list.ts', from: '!replaced.isSubsetOf(listed)', to: 'false' },
  ],
  'entries of a merged manifest inherit its sequence number': [
    { file: 'lib/append/explicit-entries.ts', from: '      [3, sequenceNumber],\n', to: '' },
  ],
  'entries of a merged manifest are of the snapshot that merged them': [
    {
      file: 'lib/append/explicit-entries.ts',
      from: '[1, row.snapshotId ?? manifest.addedSnapshotId]',
      to: '[1, null]',
    },
  ],
  'row IDs of a merged manifest are counted anew': [
    { file: 'lib/append/explicit-entries.ts', from: '[142, firstRowId]', to: '[142, null]' },
  ],
  'manifests of deletes are merged like others': [
    {
      file: 'lib/append/merge-policy.ts',
      from: 'if (content !== 0 || keyMetadata !== undefined) return false;',
      to: '',
    },
    {
      file: 'lib/append/merge-manifests.ts',
      from: 'if (manifest.content !== 0)',
      to: 'if (false)',
    },
    {
      file: 'lib/append/explicit-entries.ts',
      from: 'const isData = manifest.content === 0;',
      to: 'const isData = true;',
    },
    {
      file: 'lib/append/explicit-entries.ts',
      from: 'if (isData && (row.content ?? 0) !== 0)',
      to: 'if (false)',
    },
  ],
  'the branch may have moved: its head is not asserted': [
    {
      file: 'lib/commit/assertions.ts',
      from: "{ type: 'assert-ref-snapshot-id', ref: branch, 'snapshot-id': head?.snapshotId ?? null },",
      to: '',
    },
  ],
  'the schema change of a refused attempt is forgotten in the next': [
    {
      file: 'lib/jobs/register/staging.ts',
      from: '[...merge.updates, ...pathUpdates(state)',
      to: '[...(number > 1 ? [] : merge.updates), ...pathUpdates(state)',
    },
  ],
  'segments go to main, whatever the branch': [
    { file: 'lib/append/stage.ts', from: "'ref-name': branch,", to: "'ref-name': 'main'," },
  ],
  'a commit takes its branch the settings that it had': [
    { file: 'lib/append/stage.ts', from: '...retention(state, branch),', to: '' },
  ],
  'reconcile looks at the history of the branch alone': [
    {
      file: 'lib/jobs/reconcile/missing-segments.ts',
      from: 'await searchSnapshots(others, absent',
      to: 'await searchSnapshots([], absent',
    },
  ],
  'what others cherry-picked is taken for nothing new': [
    {
      file: 'lib/ledger/ledger.ts',
      from: "return snapshot.summary['added-data-files'] === '0';",
      to: "return snapshot.summary['added-data-files'] === '0' || 'source-snapshot-id' in snapshot.summary;",
    },
  ],
  'a batch is of one partition': [
    {
      file: 'lib/jobs/register/staging.ts',
      from: "specId: state.defaultSpec['spec-id'],\n    partition,",
      to: "specId: state.defaultSpec['spec-id'],\n    partition: accepted[0]?.partition ?? partition,",
    },
  ],
  'names that were found in the table are not mapped for readers': [
    { file: 'lib/schema/merge.ts', from: 'fieldIdsOf.size > 0 || ', to: '' },
  ],
  'a repair takes the entries beside the one that is meant': [
    {
      file: 'lib/jobs/repair/repair.ts',
      from: 'if (left === 0 || plainSpelling(filePath) !== path) return false;',
      to: 'if (left === 0) return false;',
    },
  ],
  'a backfill does not look at what was registered beside it': [
    {
      file: 'lib/jobs/backfill/known-paths.ts',
      from: 'covered.get(snapshot.snapshotId) ?? uncovered.listing(snapshot)',
      to: 'covered.get(snapshot.snapshotId) ?? NOTHING_LISTED',
    },
  ],
};
