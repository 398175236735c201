import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/integration/**'],
    setupFiles: ['test/watch-secrets.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // .ci/run lists what passed only when it was tried again.
    retry: process.env['CI'] === undefined ? 0 : 1,
    pool: 'forks',
  },
});
