#!/usr/bin/env -S node --max-semi-space-size=4 --heap-growing-percent=50
// Heap that is collected before it has doubled: a long backfill takes half the memory.
// Plain JavaScript on purpose: an older Node must be able to read this far to say what is missing.
const needed = 24;
const running = process.versions.node;
if (Number.parseInt(running, 10) < needed) {
  console.error(
    `iceberg-registrar needs Node ${needed} or newer and this is Node ${running}: install it, or run through npm (npm ci brings Node ${needed} on Linux and Windows)`,
  );
  process.exit(1);
}
// Whoever reads the output may stop, as `head` does: that is their end of it, as SIGPIPE would be, and no failure to tell.
const PIPE_CLOSED = 141;
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(PIPE_CLOSED);
});
// What was compiled is kept for the next start, which takes a third of the time.
(await import('node:module')).enableCompileCache();
const { run } = await import('./program.ts');
process.exitCode = await run(process.argv);
