#!/usr/bin/env -S MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=131072 node --max-semi-space-size=4 --heap-growing-percent=50
// For the memory of a long backfill: the heap is collected before it has doubled, and glibc gives large buffers back when they are freed.
// Plain JavaScript on purpose: an older Node must be able to read this far to say what is missing.
const needed = 24;
const running = process.versions.node;
if (Number.parseInt(running, 10) < needed) {
  console.error(
    `iceberg-registrar needs Node ${needed} or newer and this is Node ${running}: install it, or run through npm (npm ci brings Node ${needed} on Linux and Windows)`,
  );
  process.exit(1);
}
// The reader of the output may stop early, as `head` does. The command then ends quietly, as SIGPIPE would end it.
const PIPE_CLOSED = 141;
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit(PIPE_CLOSED);
  console.error(`Cannot write the output: ${error.message}`);
  process.exit(1);
});
// The compiled code is cached, so that the next start takes a third of the time.
(await import('node:module')).enableCompileCache();
const { run } = await import('./program.ts');
process.exitCode = await run(process.argv);
